#!/bin/sh
# Prints a line for each profile of the program $1: bytes of state, and instructions of SEARCH per ACK of slow start
# (including the exit) and of the drain. Then the instructions of the whole controller per ACK of both: with all
# observables, with the window alone, and with the window alone and unchecked events. Last the kind of end. Counts go to
# files next to $1.
set -eu

program=$1
count() { # profile, mode
    counts=$program.$1.callgrind
    # shellcheck disable=SC2086 # nothing, or one word
    line=$(valgrind -q --tool=callgrind --callgrind-out-file="$counts" "$program" "$1" $2)
    acks=${line%% *}
    rest=${line#* }
}
instructions() { # function
    callgrind_annotate --inclusive=yes --threshold=100 "$counts" |
        sed -n "s/^ *\([0-9,]*\) .*:$1\( .*\)\?\$/\1/p" | head -n 1 | tr -d ,
}
per_ack() { # instructions, ACKs
    awk -v total="$1" -v acks="$2" 'BEGIN { if (acks > 0) printf "%.1f", total / acks; else printf "-" }'
}

row='%-20s %6s %10s %7s %11s %7s %8s %7s  %s\n'
# shellcheck disable=SC2059 # one format for all rows
{
    printf "$row" 'instructions per ACK:' state 'SEARCH,' 'SEARCH,' controller, window window, '' ''
    printf "$row" profile bytes 'slow start' drain observables alone trusted ACKs end
    for profile in $("$program"); do
        count "$profile" exit
        exit_acks=$acks
        exit_total=$(instructions ff_search_on_ack)
        count "$profile" window
        window_total=$(instructions bench_window_on_ack)
        count "$profile" trusted
        trusted_total=$(instructions bench_trust_ack)
        count "$profile" ''
        total=$(instructions ff_search_on_ack)
        printf "$row" "$profile" "${rest%% *}" "$(per_ack "$exit_total" "$exit_acks")" \
            "$(per_ack $((total - exit_total)) $((acks - exit_acks)))" "$(per_ack "$(instructions bench_step_on_ack)" "$acks")" \
            "$(per_ack "$window_total" "$acks")" "$(per_ack "$trusted_total" "$acks")" "$acks" "${rest#* } bytes"
    done
}
