#!/bin/sh
# Have Maven fetch the jars of a list, each pinned by version and checksum, without any plugin: fetch.sh LIST FOLDER
#
# Exit 0: they lie in FOLDER; 1: one is not the pinned jar; 3: they cannot be had. The reason is printed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2/fetch/META-INF/plexus" && cp "$here/components.xml" "$2/fetch/META-INF/plexus"
out=$(cd "$2" && pwd)
maven=$(mvn -v | sed -n 's/^Maven home: //p')
javac -nowarn -proc:none -cp "$maven/lib/*" -d "$out/fetch" "$here/Fetch.java"
if ! reason=$(mvn -q -B -f "$here/pom.xml" -Dmaven.ext.class.path="$out/fetch" -Djars="$list" -Dout="$out" validate 2>&1); then
    reason=$(echo "$reason" | sed -n 's,.*\[ERROR] ,,p' | head -n 1)
    echo "$reason"
    case $reason in *"is not the pinned jar"*) exit 1 ;; *) exit 3 ;; esac
fi
