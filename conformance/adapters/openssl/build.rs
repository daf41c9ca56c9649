//! Compiles the adapter, which includes the congestion controller of OpenSSL from the package openssl-src.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Headers that the configuration of OpenSSL writes, or that define only a few names for the controller.
const HEADERS: [(&str, &str); 7] = [
    ("openssl/configuration.h", "#define OPENSSL_CONFIGURED_API 40000\n#define OPENSSL_NO_DEPRECATED\n"),
    ("openssl/opensslv.h", "#define OPENSSL_VERSION_MAJOR 4\n#define OPENSSL_VERSION_MINOR 0\n"),
    ("openssl/params.h", include_str!("src/params.h")),
    ("openssl/ssl.h", ""),
    ("internal/ssl.h", ""),
    ("internal/e_os.h", ""),
    ("internal/e_winsock.h", "#include <sys/time.h>\n"),
];

fn main() {
    let package = firstflight_locate::locate("openssl-src");
    let openssl = package.root.join("openssl");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for (name, text) in HEADERS {
        write(&out.join(name), text);
    }
    let version = package.version.split('+').nth(1).expect("the package has the version of OpenSSL after a plus sign");
    cc::Build::new()
        .files(["src/adapter.c", "../c/stdio_host.c", "../c/json_lines.c"])
        .include("../../include")
        .include("../c")
        // System headers: their warnings are not shown.
        .flag("-isystem")
        .flag(&out)
        .flag("-isystem")
        .flag(openssl.join("include"))
        .flag("-isystem")
        .flag(openssl.join("ssl/quic"))
        .define("OPENSSL_VERSION", format!("\"{version}\"").as_str())
        .std("c11")
        .extra_warnings(true)
        .compile("adapter");
    for input in ["src", "../c", "../../include"] {
        println!("cargo::rerun-if-changed={input}");
    }
}

fn write(header: &Path, text: &str) {
    fs::create_dir_all(header.parent().expect("it has a folder")).expect("OUT_DIR is writable");
    fs::write(header, text).expect("OUT_DIR is writable");
}
