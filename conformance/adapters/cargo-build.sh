#!/bin/sh
# Build the adapter or peer of one stack with cargo: cargo-build.sh FOLDER BUILD makes BUILD/NAME of the program in FOLDER.
#
# The program is skipped if cargo is missing or too old, or if the pinned packages are not available. The reason is
# printed, and `firstflight run` counts a skipped adapter. A program that does not compile is an error.
set -eu
folder=$1
build=$2
name=$(basename "$folder")
manifest=$folder/Cargo.toml
program=$build/$name

skip() {
    rm -f "$program"
    echo "$name: skipped: $1"
    exit 0
}

command -v cargo >/dev/null && command -v rustc >/dev/null || skip "there is no cargo here"
needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$manifest")
present=$(rustc --version | cut -d ' ' -f 2)
[ "$(printf '%s\n' "$needed" "$present" | sort -V | head -n 1)" = "$needed" ] || skip "rustc $needed is needed, this is $present"
reason=$("$(dirname "$0")/crates.sh" obtain "$folder") || {
    [ $? = 3 ] && skip "its packages cannot be had: $reason"
    echo "$name: $reason" >&2
    exit 1
}
made=$build/cargo/release/$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)
# For another target cargo builds elsewhere: remove the old program, so that it is not copied.
rm -f "$made"
cargo build --quiet --release --locked --offline --manifest-path "$manifest" --target-dir "$build/cargo"
cp "$made" "$program"
