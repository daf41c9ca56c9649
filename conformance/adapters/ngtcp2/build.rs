//! Compiles the adapter with the C source of ngtcp2 that the package ngtcp2-sys carries.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let ngtcp2 = firstflight_locate::locate("ngtcp2-sys").root.join("deps/ngtcp2");
    let library = ngtcp2.join("lib");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    write_version_header(&ngtcp2, &out.join("ngtcp2/version.h"));

    cc::Build::new()
        .files(c_files(&library))
        .include(library.join("includes"))
        .include(&library)
        .include(&out)
        .warnings(false)
        .compile("ngtcp2");
    cc::Build::new()
        .files(["src/adapter.c", "../c/stdio_host.c", "../c/json_lines.c"])
        .include("../../include")
        .include("../c")
        .include(library.join("includes"))
        .include(&library)
        .include(&out)
        .std("c11")
        .extra_warnings(true)
        .compile("adapter");
    for input in ["src", "../c", "../../include"] {
        println!("cargo::rerun-if-changed={input}");
    }
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the source of ngtcp2 is there");
    let files = entries.map(|entry| entry.expect("it can be read").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

/// ngtcp2's own build writes this header from a template; the version stands in its CMakeLists.txt.
fn write_version_header(ngtcp2: &Path, header: &Path) {
    let cmake = fs::read_to_string(ngtcp2.join("CMakeLists.txt")).expect("CMakeLists.txt is there");
    let version = cmake.split("project(ngtcp2 VERSION ").nth(1).and_then(|rest| rest.split(' ').next());
    let version = version.expect("CMakeLists.txt names the version");
    fs::create_dir_all(header.parent().expect("it has a folder")).expect("OUT_DIR is writable");
    fs::write(header, format!("#define NGTCP2_VERSION \"{version}\"\n#define NGTCP2_VERSION_NUM 0\n"))
        .expect("OUT_DIR is writable");
}
