//! Compiles the adapter with the files of msquic that contain CUBIC and BBR. The adapter defines the other functions
//! that they call.

use std::path::Path;

fn main() {
    let package = firstflight_locate::locate("msquic");
    let source = package.root.join("src");

    let controllers = ["cubic.c", "bbr.c", "sliding_window_extremum.c"].map(|file| source.join("core").join(file));
    msquic(&source).files(controllers).warnings(false).compile("controllers");
    let version = format!("\"{}\"", package.version);
    msquic(&source)
        .files(["../c/program.c", "src/adapter.c", "src/connection.c", "src/packets.c", "src/platform.c", "../c/json_lines.c"])
        .include("src")
        .include("../../include")
        .include("../c")
        .define("MSQUIC_VERSION", version.as_str())
        .extra_warnings(true)
        .compile("adapter");
    for input in ["src", "../c", "../../include"] {
        println!("cargo::rerun-if-changed={input}");
    }
}

/// A compilation as msquic's own build for Linux does it, without tracing. Its headers are not ours to warn of.
fn msquic(source: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build.std("gnu17").flag("-fms-extensions");
    for folder in ["inc", "core", "generated/common", "generated/linux"] {
        build.flag("-isystem").flag(source.join(folder));
    }
    build.define("_GNU_SOURCE", None).define("CX_PLATFORM_LINUX", "1").define("VER_BUILD_ID", "0");
    build.define("QUIC_EVENTS_STUB", None).define("QUIC_LOGS_STUB", None);
    build
}
