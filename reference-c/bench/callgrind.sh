#!/bin/sh
# Prints instructions per ACK for the program $1, one line for each profile $2 and following. Counts go to files beside $1.
set -eu

program=$1
shift
for profile in "$@"; do
    counts=$program.$profile.callgrind
    line=$(valgrind -q --tool=callgrind --callgrind-out-file="$counts" "$program" "$profile")
    acks=$(echo "$line" | sed 's/^[^:]*: \([0-9]*\) acks.*/\1/')
    echo "$line"
    for function in ff_search_on_ack ff_controller_step; do
        total=$(callgrind_annotate --inclusive=yes --threshold=100 "$counts" |
            sed -n "s/^ *\([0-9,]*\) .*:$function\( .*\)\?\$/\1/p" | head -n 1 | tr -d ,)
        awk -v total="$total" -v acks="$acks" -v name="$function" \
            'BEGIN { printf "    %-20s %.1f instructions per ACK\n", name, total / acks }'
    done
done
