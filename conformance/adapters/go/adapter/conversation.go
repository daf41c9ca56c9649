// Package adapter implements the adapter protocol (spec/adapter-protocol.md) for stacks written in Go.
// An adapter only maps events to the functions of its stack.
package adapter

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"slices"
)

// Hello is the declaration of an adapter about its stack.
type Hello struct {
	Name        string              `json:"name"`
	Version     string              `json:"version"`
	Algorithms  map[string][]string `json:"algorithms"`
	Observables []string            `json:"observables"`
	Clock       string              `json:"clock"`
	Window      string              `json:"window"`
	Arithmetic  string              `json:"arithmetic"`
	Avoidance   string              `json:"avoidance,omitempty"`  // default: exact
	WorksOut    []string            `json:"works_out,omitempty"`  // default: none
	Controller  string              `json:"controller,omitempty"` // default: newreno
	Supports    []string            `json:"supports,omitempty"`   // default: all kinds of events
}

// Config contains the parameters of a case. With a nil initial window, the stack uses its own.
type Config struct {
	MaxDatagramSizeBytes Int  `json:"max_datagram_size_bytes"`
	InitialWindowBytes   *Int `json:"initial_window_bytes"`
}

// Observed contains the observables that the adapters report. A nil threshold is infinite.
type Observed struct {
	CwndBytes     Int  `json:"cwnd_bytes"`
	SsthreshBytes *Int `json:"ssthresh_bytes"`
}

// Controller is one congestion controller of a stack, for one case.
type Controller interface {
	// Process passes one event to the stack. An Unsupported error contains the reason if the stack cannot process it.
	Process(event *Event) error
	Observe() Observed
}

// Unsupported is the reason why the stack cannot process a case or an event.
type Unsupported string

func (reason Unsupported) Error() string { return string(reason) }

// Version returns the version of a module that this program is linked with.
func Version(module string) string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	panic("not linked with " + module)
}

type message struct {
	Op        string `json:"op"`
	Index     int    `json:"i"`
	Algorithm string `json:"algorithm"`
	Profile   string `json:"profile"`
	Config    Config `json:"config"`
	Event     Event  `json:"event"`
}

// Serve answers the runner until its input ends.
func Serve(hello Hello, start func(Config) (Controller, error)) {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	var controller Controller
	var refused error // reason why the stack cannot process this case; the runner may send more before it reads the answer
	for decoder := json.NewDecoder(in); decoder.More(); {
		var asked message
		if err := decoder.Decode(&asked); err != nil {
			log.Fatalf("not a message of the protocol: %v", err)
		}
		if asked.Op != "event" {
			refused = nil
		}
		answer, err := any(nil), refused
		if refused == nil {
			answer, err = reply(hello, start, &asked, &controller)
		}
		if reason := Unsupported(""); errors.As(err, &reason) {
			answer, refused = map[string]any{"op": "unsupported", "reason": reason}, err
		} else if err != nil {
			log.Fatal(err)
		}
		if err := json.NewEncoder(out).Encode(answer); err != nil {
			log.Fatal(err)
		}
		out.Flush()
	}
}

func reply(hello Hello, start func(Config) (Controller, error), asked *message, controller *Controller) (any, error) {
	switch asked.Op {
	case "hello":
		return struct {
			Op       string `json:"op"`
			Protocol int    `json:"protocol"`
			Hello
		}{"hello", 1, hello}, nil
	case "start":
		if !slices.Contains(hello.Algorithms[asked.Algorithm], asked.Profile) {
			return nil, Unsupported(fmt.Sprintf("%s/%s is not implemented", asked.Algorithm, asked.Profile))
		}
		started, err := start(asked.Config)
		if err != nil {
			return nil, err
		}
		*controller = started
		return map[string]string{"op": "started"}, nil
	case "event":
		if err := (*controller).Process(&asked.Event); err != nil {
			return nil, err
		}
		return struct {
			Op    string `json:"op"`
			Index int    `json:"i"`
			Observed
		}{"observed", asked.Index, (*controller).Observe()}, nil
	case "end":
		return map[string]string{"op": "ended"}, nil
	}
	return nil, fmt.Errorf("unknown op %q", asked.Op)
}
