//! Writes the modules of quiche that the adapter includes, with the place where cargo keeps the package.

use std::path::Path;
use std::{env, fs};

fn main() {
    let package = firstflight_locate::locate("quiche");
    let source = package.root.join("src");
    let source = source.display();
    // The controllers are private to `recovery`, so what the adapter names of them is passed on from inside that module.
    let modules = format!(
        r#"
        #[allow(warnings)] #[path = "{source}/ranges.rs"] pub mod ranges;
        #[allow(warnings)] #[path = "{source}/minmax.rs"] pub mod minmax;
        #[allow(warnings)] pub mod recovery {{
            include!("{source}/recovery/mod.rs");
            pub(crate) use self::congestion::recovery as legacy;
            pub(crate) use self::rtt::RttStats;
        }}
        pub const QUICHE_VERSION: &str = "{version}";
        "#,
        version = package.version
    );
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("quiche.rs"), modules).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-changed=Cargo.toml");
}
