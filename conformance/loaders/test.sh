#!/bin/sh
# Test the loader of every language whose tools are here: test.sh [LANGUAGE...]. OUT: where to build.
#
# Each judges its toy by the flat form, and its loader by the files of broken/, which lead to what broken/verdicts.tsv says.
#
# FIRSTFLIGHT_FLAT: the flat form, by default that of the archive around this folder. FIRSTFLIGHT: the command `firstflight`; where it is
# given, it judges the adapters as well. FIRSTFLIGHT_ANSWERS: answers of other controllers; where it is given, the loaders judge them.
set -eu
cd "$(dirname "$0")"
here=$PWD
OUT=${OUT:-$here/build}
export FIRSTFLIGHT_FLAT="${FIRSTFLIGHT_FLAT:-$here/../flat}" FIRSTFLIGHT_BROKEN="$here/broken"
tested=0 skipped=0 failed=0

# The adapters are judged together at the end.
judge() {
    echo "$1" >>"$OUT/adapters"
}

python() {
    (cd python && python3 -B -m unittest) && judge "python3 -B $here/python/adapter.py"
}

javascript() {
    (cd javascript && node --test) && judge "node $here/javascript/adapter.mjs"
}

rust() {
    cp -r rust "$OUT" && cd "$OUT/rust" && cargo test --offline --quiet && cargo build --offline --quiet && judge "$OUT/rust/target/debug/adapter"
}

# What lies outside of the module, as the flat form does, Go does not look at before it takes a result from its cache.
go_() {
    cd go && go vet ./... && go test -count=1 ./... && go build -o "$OUT/go/adapter" ./adapter && judge "$OUT/go/adapter"
}

# A virtual machine that lives for a second compiles less, and needs no threads to collect what it leaves.
brief="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# Maven fetches JUnit, from its own cache where it has it; java/jars.txt pins it. Not to be had is 3, not the pinned one 1.
fetch_junit() {
    (rm -rf "$OUT/junit" && java/fetch/fetch.sh java/jars.txt "$OUT/junit") >"$OUT/junit.log" 2>&1
}

java_() {
    jar=$(echo "$OUT"/junit/*.jar)
    javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -Xlint:all -Werror -cp "$jar" -d "$OUT/java" java/*.java &&
        java $brief -jar "$jar" execute -cp "$OUT/java" --select-class NewRenoTest --fail-if-no-tests --disable-banner &&
        judge "java $brief -cp $OUT/java Adapter"
}

# Not optimized: to compile would take as long again, and the tests run for a second.
cmake_() {
    cmake -S "$1" -B "$OUT/$1" && cmake --build "$OUT/$1" && ctest --test-dir "$OUT/$1" --output-on-failure
}

cpp() {
    cmake_ cpp && judge "$OUT/cpp/adapter"
}

wants() {
    case " $wanted " in *" $1 "* | "  ") ;; *) return 1 ;; esac
}

# try LANGUAGE FUNCTION TOOL...: what it prints is shown only if it fails.
try() {
    language=$1 function=$2
    shift 2
    wants "$language" || return 0
    for tool; do
        if ! command -v "$tool" >/dev/null; then
            echo "loaders: $language: skipped: there is no $tool here"
            skipped=$((skipped + 1))
            return 0
        fi
    done
    rm -rf "${OUT:?}/$language" && mkdir -p "$OUT/$language"
    if ($function) >"$OUT/$language.log" 2>&1; then
        tested=$((tested + 1))
    else
        cat "$OUT/$language.log"
        echo "loaders: $language: FAILED"
        failed=$((failed + 1))
    fi
}

wanted="$*"
mkdir -p "$OUT" && : >"$OUT/adapters"
try python python python3
try javascript javascript node
try rust rust cargo
try go go_ go
junit=0
if wants java && command -v mvn >/dev/null && command -v javac >/dev/null; then fetch_junit || junit=$?; fi
case $junit in
0) try java java_ javac java mvn ;;
3)
    echo "loaders: java: skipped: JUnit cannot be obtained: $(tail -n 1 "$OUT/junit.log")"
    skipped=$((skipped + 1))
    ;;
*)
    echo "loaders: java: FAILED: $(tail -n 1 "$OUT/junit.log")"
    failed=$((failed + 1))
    ;;
esac
try c "cmake_ c" cmake ctest cc
try cpp cpp cmake ctest c++
if [ -n "${FIRSTFLIGHT:-}" ] && [ -s "$OUT/adapters" ]; then
    set --
    while IFS= read -r adapter; do set -- "$@" --adapter "$adapter"; done <"$OUT/adapters"
    if "$FIRSTFLIGHT" run --algorithm slow-start --profile rfc-9002 "$@" >"$OUT/adapters.log" 2>&1; then
        echo "loaders: the adapters beside them pass"
    else
        cat "$OUT/adapters.log"
        echo "loaders: the adapters beside them: FAILED"
        failed=$((failed + 1))
    fi
fi
broken=$(wc -l <broken/verdicts.tsv)
echo "loaders: $tested passed, $failed failed, $skipped skipped; each of those that passed does with all $broken broken files what their list says"
[ "$failed" = 0 ]
