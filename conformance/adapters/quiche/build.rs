//! Writes the modules of quiche that the adapter includes, with the place where cargo keeps the package.

use std::path::Path;
use std::{env, fs};

fn main() {
    let package = firstflight_locate::locate("quiche");
    let source = package.root.join("src");
    let source = source.display();
    // The controllers are private, so their modules re-export the names that the adapter uses. The text of the modules
    // is rewritten with the paths of the files of the other modules.
    let recovery = fs::read_to_string(package.root.join("src/recovery/mod.rs")).expect("quiche has it");
    let modules: String = recovery.lines().map(|line| format!("{}\n", placed(line, &source.to_string()))).collect();
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("recovery.rs"), modules).expect("OUT_DIR is writable");
    let adapter = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let modules = format!(
        r#"
        #[allow(warnings)] #[path = "{source}/ranges.rs"] pub mod ranges;
        #[allow(warnings)] #[path = "{source}/minmax.rs"] pub mod minmax;
        #[allow(warnings)] pub mod recovery {{
            include!(concat!(env!("OUT_DIR"), "/recovery.rs"));
            pub(crate) use self::congestion::recovery as legacy;
            pub(crate) use self::rtt::RttStats;
            #[path = "{adapter}/src/bbr2.rs"] pub(crate) mod bbr2;
        }}
        pub const QUICHE_VERSION: &str = "{version}";
        "#,
        version = package.version
    );
    fs::write(Path::new(&out).join("quiche.rs"), modules).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-changed=Cargo.toml");
}

/// Return a line of the module. A `mod` line also gets the path of its file; `gcongestion` re-exports BBR to its
/// parent.
fn placed(line: &str, source: &str) -> String {
    let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else {
        return line.to_string();
    };
    let folder = format!("{source}/recovery/{name}");
    let file = if Path::new(&folder).is_dir() { format!("{folder}/mod.rs") } else { format!("{folder}.rs") };
    match name {
        "gcongestion" => format!("mod gcongestion {{ include!(\"{file}\"); pub(super) use self::bbr2::BBRv2; }}"),
        _ => format!("#[path = \"{file}\"] mod {name};"),
    }
}
