#!/bin/sh
# Build the adapter of picoquic: build.sh PYTHON BUILD makes BUILD/picoquic.
#
# The source of picoquic is inside the source distribution of aiopquic, which requirements.txt pins with its hash.
# First, pip checks the hash, and then asks the build backend of the package for metadata. This script supplies its own
# backend, so that code of the package never runs. If a compiler is missing or the package is not available, the adapter
# is skipped and the reason is printed.
set -eu
python=$1
build=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
shared=$here/../c
unpacked=$build/picoquic-source

skip() {
    rm -f "$build/picoquic"
    echo "picoquic: skipped: $1"
    exit 0
}

write_backend() {
    mkdir -p "$unpacked/backend/setuptools"
    : >"$unpacked/backend/setuptools/__init__.py"
    cat >"$unpacked/backend/setuptools/build_meta.py" <<'END'
from pathlib import Path


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory, "aiopquic-0.6.1.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: aiopquic\nVersion: 0.6.1\n")
    return folder.name
END
}

obtain() {
    write_backend
    reason=$(PYTHONPATH=$unpacked/backend "$python" -m pip download --quiet --disable-pip-version-check --no-deps \
        --no-build-isolation --ignore-requires-python --no-binary :all: --require-hashes -r "$here/requirements.txt" \
        -d "$unpacked" 2>&1) ||
        case $reason in
        *HASH*) echo "picoquic: $reason" >&2 && exit 1 ;;
        *) skip "its package cannot be had: $reason" ;;
        esac
    tar -xzf "$unpacked"/aiopquic-*.tar.gz -C "$unpacked" --strip-components=3 --wildcards \
        '*/third_party/picoquic/picoquic/*.[ch]'
}

command -v cc >/dev/null || skip "a C compiler is missing"
rm -rf "$unpacked"
obtain
source=$unpacked/picoquic
# Unused sections are removed, and with them most functions that frames.c and timing.c need.
flags='-std=gnu11 -O2 -ffunction-sections -fdata-sections'
(cd "$source" && cc $flags -w -c cc_common.c pacing.c timing.c frames.c bbr.c util.c)
cc $flags -Wall -Wextra -Wno-unused-parameter -Wl,--gc-sections -isystem "$source" -I"$include" -I"$shared" \
    "$here"/src/*.c "$source"/*.o "$shared/program.c" "$shared/json_lines.c" -lm -o "$build/picoquic"
