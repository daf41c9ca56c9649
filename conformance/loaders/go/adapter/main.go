// The toy controller behind the adapter protocol: firstflight run --adapter ./adapter --algorithm slow-start
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"regexp"

	"firstflight.example/flat"
)

type message struct {
	Op, Algorithm, Profile string
	I                      int
	Config                 flat.Config
	Event                  flat.Event
}

// Numbers from 2^53 on are decimal strings.
var large = regexp.MustCompile(`"([0-9]{16,20})"`)

func encode(number any) any {
	if text := flat.Text(number); len(text) >= 16 {
		return text
	}
	return number
}

func main() {
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	var controller *flat.NewReno
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked message
		if err := json.Unmarshal(large.ReplaceAll(line, []byte("$1")), &asked); err != nil {
			log.Fatalf("%v: %s", err, line)
		}
		answer := map[string]any{"op": "ended"}
		switch {
		case asked.Op == "hello":
			answer = map[string]any{
				"op": "hello", "protocol": 1, "name": "toy in Go", "version": "1",
				"algorithms":  map[string][]string{"slow-start": {"rfc-9002"}},
				"observables": []string{"cwnd_bytes", "ssthresh_bytes"},
			}
		case asked.Op == "start" && (asked.Algorithm != "slow-start" || asked.Profile != "rfc-9002"):
			answer = map[string]any{"op": "unsupported", "reason": "only slow-start/rfc-9002"}
		case asked.Op == "start":
			controller = flat.Begin(asked.Config, 0)
			answer = map[string]any{"op": "started"}
		case asked.Op == "event":
			observed := controller.OnEvent(&asked.Event)
			answer = map[string]any{
				"op": "observed", "i": asked.I,
				"cwnd_bytes": encode(observed["cwnd_bytes"]), "ssthresh_bytes": encode(observed["ssthresh_bytes"]),
			}
		}
		if err := out.Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}
