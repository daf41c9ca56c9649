#!/bin/sh
# Prints a line for each program among the arguments, build/c-bench/plain/NAME: bytes of state, and instructions of the
# header per ACK of slow start (including the exit) and per later ACK. Counts go to files next to the programs.
set -eu

count() { # mode
    counts=$program.callgrind
    # shellcheck disable=SC2086 # nothing, or one word
    line=$(valgrind -q --tool=callgrind --callgrind-out-file="$counts" "$program" $1)
    acks=${line%% *}
    rest=${line#* }
    case $program in
    *newreno*) measured=newreno_on_ack ;;
    *) measured=header_on_ack ;;
    esac
    total=$(callgrind_annotate --inclusive=yes --threshold=100 "$counts" |
        sed -n "s/^ *\([0-9,]*\) .*:$measured[.a-z0-9]*\( .*\)\?\$/\1/p" | head -n 1 | tr -d ,)
}
per_ack() { # instructions, ACKs
    awk -v total="$1" -v acks="$2" 'BEGIN { if (acks > 0) printf "%.1f", total / acks; else printf "-" }'
}

row='%-26s %6s %10s %8s %7s  %s\n'
# shellcheck disable=SC2059 # one format for all rows
{
    printf "$row" 'plain headers:' state 'slow start' after ACKs end
    for program in "$@"; do
        count exit
        exit_acks=$acks
        exit_total=$total
        count ''
        printf "$row" "${program##*/}" "${rest%% *}" "$(per_ack "$exit_total" "$exit_acks")" \
            "$(per_ack $((total - exit_total)) $((acks - exit_acks)))" "$acks" "${rest#* } bytes"
    done
}
