//! This program is C: its `main` is in ../c/program.c. Cargo fetches the stack and compiles (build.rs).
#![no_main]
