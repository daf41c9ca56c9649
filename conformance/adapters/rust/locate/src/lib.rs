//! Finds the source of a stack that is downloaded as a package but not built as one.
//!
//! The adapter lists the package under `[target.'cfg(any())'.dependencies]`, which is true on no platform. Therefore
//! cargo pins, downloads and checks the package, but never compiles it. The build script of the adapter compiles the
//! needed files.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package of the registry on this machine.
pub struct Package {
    pub root: PathBuf,
    pub version: String,
}

/// Return the package that the crate being built depends on by this name.
pub fn locate(name: &str) -> Package {
    let manifest =
        Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("called from a build script")).join("Cargo.toml");
    let output = Command::new(env::var_os("CARGO").expect("called from a build script"))
        .args(["metadata", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(&manifest)
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata writes JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists the packages");
    let package = packages.iter().find(|package| package["name"] == name);
    let package = package.unwrap_or_else(|| panic!("{name} is no dependency of {}", manifest.display()));
    let place = Path::new(package["manifest_path"].as_str().expect("a package has a place"));
    Package {
        root: place.parent().expect("Cargo.toml lies in a folder").into(),
        version: package["version"].as_str().expect("a package has a version").into(),
    }
}
