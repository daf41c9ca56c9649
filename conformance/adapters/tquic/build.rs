//! Writes the modules of tquic that the adapter includes, with the place where cargo keeps the package.

use std::path::Path;
use std::{env, fs};

fn main() {
    let package = firstflight_locate::locate("tquic");
    let source = package.root.join("src");
    let source = source.display();
    let modules = format!(
        r#"
        #[allow(warnings)] #[path = "{source}/congestion_control/congestion_control.rs"] pub mod congestion_control;
        pub mod connection {{
            #[allow(warnings)] #[path = "{source}/connection/rtt.rs"] pub mod rtt;
            pub use crate::stubs::space;
        }}
        pub const TQUIC_VERSION: &str = "{version}";
        "#,
        version = package.version
    );
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("tquic.rs"), modules).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-changed=Cargo.toml");
}
