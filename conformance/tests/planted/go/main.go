// SEARCH behind the adapter protocol: firstflight run --adapter ./planted
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"strings"
)

// number is a JSON number, or from 2^53 on a decimal string.
type number uint64

func (n *number) UnmarshalJSON(text []byte) error {
	value, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	*n = number(value)
	return err
}

func (n number) MarshalJSON() ([]byte, error) {
	text := strconv.FormatUint(uint64(n), 10)
	if n >= 1<<53 {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

type config struct {
	MaxDatagramSizeBytes number  `json:"max_datagram_size_bytes"`
	InitialWindowBytes   *number `json:"initial_window_bytes"`
}

type event struct {
	Ev            string     `json:"ev"`
	TNs           number     `json:"t_ns"`
	Packets       [][]number `json:"packets"`
	Bytes         number     `json:"bytes"`
	BytesInFlight number     `json:"bytes_in_flight"`
	AppLimited    bool       `json:"app_limited"`
	LatestRttNs   *number    `json:"latest_rtt_ns"`
	SentTNs       number     `json:"sent_t_ns"`
}

type message struct {
	Op, Algorithm, Profile string
	I                      int
	Config                 config
	Event                  event
}

func (c *search) process(e *event) {
	switch e.Ev {
	case "sent":
		c.onSent(e)
	case "ack":
		c.onAck(e)
	case "lost":
		c.onLost(e)
	case "ce":
		c.onCongestion(uint64(e.SentTNs), uint64(e.TNs))
	case "persistent_congestion":
		c.onPersistentCongestion()
	}
}

var controller *search

func answer(asked *message) map[string]any {
	switch {
	case asked.Op == "hello":
		return map[string]any{
			"op": "hello", "protocol": 1, "name": "SEARCH in Go", "version": "1",
			"algorithms":  map[string][]string{"search": {"draft-09"}},
			"observables": []string{"cwnd_bytes", "ssthresh_bytes"},
		}
	case asked.Op == "start" && (asked.Algorithm != "search" || asked.Profile != "draft-09"):
		return map[string]any{"op": "unsupported", "reason": "only search/draft-09"}
	case asked.Op == "start":
		controller = &search{newReno: newNewReno(asked.Config)}
		return map[string]any{"op": "started"}
	case asked.Op == "event":
		controller.process(&asked.Event)
		observed := map[string]any{
			"op": "observed", "i": asked.I, "cwnd_bytes": number(controller.cwnd), "ssthresh_bytes": nil,
		}
		if controller.bounded {
			observed["ssthresh_bytes"] = number(controller.ssthresh)
		}
		return observed
	}
	return map[string]any{"op": "ended"}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			log.Fatalf("%v: %s", err, line)
		}
		if err := out.Encode(answer(&asked)); err != nil {
			log.Fatal(err)
		}
	}
}
