#!/bin/sh
# Prints a line for each profile of the program $1: bytes of state, instructions per ACK in SEARCH until the exit, the same and those
# of the whole controller over all of slow start, a drain included, and how it ended. Counts go to files beside $1.
set -eu

program=$1
count() { # profile, what to do
    counts=$program.$1.callgrind
    # shellcheck disable=SC2086 # nothing, or one word
    line=$(valgrind -q --tool=callgrind --callgrind-out-file="$counts" "$program" "$1" $2)
    acks=${line%% *}
    rest=${line#* }
}
per_ack() { # function
    total=$(callgrind_annotate --inclusive=yes --threshold=100 "$counts" |
        sed -n "s/^ *\([0-9,]*\) .*:$1\( .*\)\?\$/\1/p" | head -n 1 | tr -d ,)
    awk -v total="$total" -v acks="$acks" 'BEGIN { printf "%.1f", total / acks }'
}

row='%-20s %6s %8s %8s %11s %7s  %s\n'
# shellcheck disable=SC2059 # one format for all rows
{
    printf "$row" 'instructions per ACK:' state 'SEARCH,' 'SEARCH,' controller '' ''
    printf "$row" profile bytes 'to exit' whole whole ACKs end
    for profile in $("$program"); do
        count "$profile" exit
        to_exit=$(per_ack ff_search_on_ack)
        count "$profile" ''
        printf "$row" "$profile" "${rest%% *}" "$to_exit" "$(per_ack ff_search_on_ack)" "$(per_ack bench_step_on_ack)" \
            "$acks" "${rest#* } bytes"
    done
}
