//! Writes the module of noq-proto that the adapter includes, with the place where cargo keeps the package.

use std::path::Path;
use std::{env, fs};

fn main() {
    let package = firstflight_locate::locate("noq-proto");
    let module = format!(
        r#"
        #[allow(warnings)] #[path = "{source}"] mod source {{ pub mod congestion; }}
        pub use source::congestion;
        pub const NOQ_PROTO_VERSION: &str = "{version}";
        "#,
        source = package.root.join("src").display(),
        version = package.version
    );
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("noq_proto.rs"), module).expect("OUT_DIR is writable");
    println!("cargo::rerun-if-changed=Cargo.toml");
}
