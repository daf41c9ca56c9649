//! This program is C: its `main` is in conformance/adapters/c/stdio_host.c. Cargo fetches the stack and compiles (build.rs).
#![no_main]
