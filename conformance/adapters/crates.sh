#!/bin/sh
# crates.txt pins the crates of all adapters, peers and examples, direct and indirect, one per line: name, version,
# SHA-256.
#
#   crates.sh obtain FOLDER   write FOLDER/Cargo.lock from the list, download missing crates. No code of a crate is run.
#                             Exit 0: ready for build --locked. Exit 1: a crate differs or is not listed. Exit 3: missing.
#   crates.sh renew           rewrite the list after a change of a Cargo.toml: keep pinned crates, add new crates
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$here/crates.txt

# Cargo adds the dependencies to the lock, and omits crates that this adapter does not need. It also reports its
# registry.
write_lock() {
    described=$(cargo metadata --quiet --no-deps --offline --format-version 1 --manifest-path "$1/Cargo.toml")
    registry=$(echo "$described" | grep -o '"source":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
    awk -v registry="$registry" 'BEGIN { print "version = 4" } {
        printf "\n[[package]]\nname = \"%s\"\nversion = \"%s\"\nsource = \"%s\"\nchecksum = \"%s\"\n", $1, $2, registry, $3
    }' "$list" >"$1/Cargo.lock"
}

# Cached crates are not downloaded again, so a warm cache works without a network.
fetch() {
    cargo fetch --quiet --offline --manifest-path "$1/Cargo.toml" 2>/dev/null ||
        cargo fetch --quiet --manifest-path "$1/Cargo.toml" 2>&1
}

# Cargo unpacks cached crates without a check, so this function hashes them. It prints crates that differ.
not_pinned() {
    pins "$1/Cargo.lock" | while read -r name version checksum; do
        for crate in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$name-$version.crate"; do
            [ ! -f "$crate" ] || [ "$(sha256sum <"$crate")" = "$checksum  -" ] || echo "$crate is not the pinned crate: its checksum differs"
        done
    done
}

pins() {
    awk -F '"' '/^name/ { name = $2 } /^version = "/ { version = $2 } /^checksum/ { print name, version, $2 }' "$@"
}

case $1 in
obtain)
    write_lock "$2"
    if ! reason=$(fetch "$2"); then
        echo "$reason"
        case $reason in *checksum*) exit 1 ;; *) exit 3 ;; esac
    fi
    if pins "$2/Cargo.lock" | grep -vxF -f "$list"; then
        echo "is not in crates.txt: after a look at it, conformance/adapters/crates.sh renew"
        exit 1
    fi
    if not_pinned "$2" | grep .; then exit 1; fi
    ;;
renew)
    for manifest in "$here"/*/Cargo.toml "$here"/../studies/live/peers/*/Cargo.toml "$here"/../../reference-c/examples/*/Cargo.toml; do
        write_lock "${manifest%/*}"
        fetch "${manifest%/*}"
    done
    pins "$here"/*/Cargo.lock "$here"/../studies/live/peers/*/Cargo.lock "$here"/../../reference-c/examples/*/Cargo.lock | LC_ALL=C sort -u >"$list"
    ;;
esac
