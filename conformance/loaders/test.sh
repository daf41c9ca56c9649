#!/bin/sh
# Test the loader of every language with installed tools: test.sh [LANGUAGE...]. OUT: build folder.
#
# Each test judges its toy by the flat form, and its loader by the files of broken/ with the verdicts of
# broken/verdicts.tsv.
#
# FIRSTFLIGHT_FLAT: the flat form; default: ../flat in the archive. FIRSTFLIGHT: the command `firstflight`, to judge the
# adapters as well. FIRSTFLIGHT_ANSWERS: answers of other controllers, to be judged by the loaders.
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

# Go's test cache ignores files outside the module, such as the flat form.
go_() {
    cd go && go vet ./... && go test -count=1 ./... && go build -o "$OUT/go/adapter" ./adapter && judge "$OUT/go/adapter"
}

# The virtual machine runs for a second: less compilation, and no threads for garbage collection.
brief="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# Maven fetches JUnit, from its cache if possible; java/jars.txt pins it. Exit code 3: unavailable; 1: another hash.
fetch_junit() {
    (rm -rf "$OUT/junit" && java/fetch/fetch.sh java/jars.txt "$OUT/junit") >"$OUT/junit.log" 2>&1
}

java_() {
    jar=$(echo "$OUT"/junit/*.jar)
    javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -Xlint:all -Werror -cp "$jar" -d "$OUT/java" java/*.java &&
        java $brief -jar "$jar" execute -cp "$OUT/java" --select-class NewRenoTest --fail-if-no-tests --disable-banner &&
        judge "java $brief -cp $OUT/java Adapter"
}

# Without optimization: it would double the time to compile, and the tests run for a second.
cmake_() {
    cmake -S "$1" -B "$OUT/$1" && cmake --build "$OUT/$1" && ctest --test-dir "$OUT/$1" --output-on-failure
}

cpp() {
    cmake_ cpp && judge "$OUT/cpp/adapter"
}

wants() {
    case " $wanted " in *" $1 "* | "  ") ;; *) return 1 ;; esac
}

# try LANGUAGE FUNCTION TOOL...: shows the output only after a failure.
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
