#!/bin/sh
# Fetches the Unity test framework into the directory $1: four files and their licence, from the source package of cJSON
# on the package mirrors of this machine. Needs no root and changes nothing outside $1 and $1/../unity-fetch.
# third_party/unity.sha256 has the checksums of archive and files. Exit 0: done; 1: failed; 3: apt-get is missing.
set -eu

target=$1
sums=$(cd "$(dirname "$0")/../.." && pwd)/third_party/unity.sha256
remedy="unity: set UNITY_DIR to a directory that holds unity.c, unity.h and unity_internals.h"
archive=cjson_1.7.15.orig.tar.gz

fail() {
    echo "unity: $1" >&2
    echo "$remedy" >&2
    exit 1
}

if ! command -v apt-get >/dev/null; then
    echo "unity: skipped: there is no apt-get to fetch it with. $remedy" >&2
    exit 3
fi

mkdir -p "$target" "$target/../unity-fetch"
fetch=$(cd "$target/../unity-fetch" && pwd)
mkdir -p "$fetch/sources" "$fetch/lists/partial" "$fetch/cache/archives/partial"

# The machine's own sources, asked for source packages.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$fetch/sources/$(basename "$file" .list).list"
done
for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] || continue
    sed 's/^Types:.*/Types: deb-src/' "$file" >"$fetch/sources/$(basename "$file")"
done

private() {
    (cd "$fetch" && apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$fetch/sources" \
        -o Dir::State::lists="$fetch/lists" -o Dir::Cache="$fetch/cache" -o APT::Sandbox::User="$(id -un)" "$@")
}

if [ ! -f "$fetch/$archive" ]; then
    private update || echo "unity: not every package list could be read" >&2
    private source --download-only cjson=1.7.15-1+deb12u4 2>/dev/null || private source --download-only cjson ||
        fail "the source package of cJSON cannot be fetched"
fi
[ -f "$fetch/$archive" ] || fail "this system carries another version of cJSON than $archive"

(cd "$fetch" && grep " $archive\$" "$sums" | sha256sum --check --quiet -) || {
    rm -f "$fetch/$archive"
    fail "$archive differs from its checksum in third_party/unity.sha256"
}
inside=$fetch/cJSON-1.7.15/tests/unity
tar -xzf "$fetch/$archive" -C "$fetch" cJSON-1.7.15/tests/unity
(cd "$inside" && grep -v " $archive\$" "$sums" | sha256sum --check --quiet -) ||
    fail "the files of Unity differ from their checksums in third_party/unity.sha256"
# src/unity.c last: make waits for it. Unity includes its configuration as ../examples/unity_config.h.
mkdir -p "$target/src" "$target/examples"
mv "$inside/docs/license.txt" "$target/"
mv "$inside/examples/unity_config.h" "$target/examples/"
mv "$inside/src/unity.h" "$inside/src/unity_internals.h" "$target/src/"
mv "$inside/src/unity.c" "$target/src/"
touch "$target/src/unity.c"
rm -rf "$fetch"
