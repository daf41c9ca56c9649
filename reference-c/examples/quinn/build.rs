//! Compiles the C of `src/start` with the plain headers, which are all it needs of Firstflight.

use std::path::Path;

/// The folder of an algorithm in the repository; in the archive all headers lie in one, `plain`.
const FOLDERS: [&str; 6] = ["newreno", "search", "hystartpp", "careful_resume", "jumpstart", "../plain"];

fn main() {
    let headers = Path::new("../../firstflight");
    let mut build = cc::Build::new();
    for folder in FOLDERS {
        build.include(headers.join(folder));
    }
    let parts = ["start", "search", "hystartpp", "careful_resume", "jumpstart"];
    build.files(parts.map(|part| format!("src/start/{part}.c"))).std("c11").extra_warnings(true).compile("start");
    println!("cargo::rerun-if-changed=src/start");
    println!("cargo::rerun-if-changed={}", headers.display());
}
