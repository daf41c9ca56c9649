// Package flat reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied.
// Strict: a member that pages/flat-format.md does not have is refused.
package flat

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Header is the first line of a file.
type Header struct {
	Line, Version, Algorithm, Profile string
	Format, Cases                     int
	Observables, State                []string
}

// Config is the first line of a case. A nil initial window is the recommended one of RFC 9002, or that of the stack.
type Config struct {
	Line, Case           string
	MaxDatagramSizeBytes uint64  `json:"max_datagram_size_bytes"`
	InitialWindowBytes   *uint64 `json:"initial_window_bytes"`
	Events, Bits         int
	Granularity, Tier    string
	Level                *string
	Flags, Ours          []string
	Clauses              map[string]*string
	Title, Why           string
}

// Run is a run of packets of one size that were sent at one time: first, last, size in bytes, time.
type Run [4]uint64

// Event has the members of every kind; those that its kind does not have are zero.
type Event struct {
	Line                string
	I                   int
	Ev                  string
	TNs                 uint64 `json:"t_ns"`
	Packets             []Run
	Bytes               uint64
	BytesInFlight       uint64      `json:"bytes_in_flight"`
	AppLimited          bool        `json:"app_limited"`
	Retransmits         [][2]uint64 `json:"retransmits"`
	NextPacket          uint64      `json:"next_packet"`
	LatestRttNs         *uint64     `json:"latest_rtt_ns"`
	MinRttNs            *uint64     `json:"min_rtt_ns"`
	SmoothedRttNs       *uint64     `json:"smoothed_rtt_ns"`
	AckDelayNs          uint64      `json:"ack_delay_ns"`
	OldestUnackedPacket *uint64     `json:"oldest_unacked_packet"`
	Packet              uint64
	SentTNs             uint64  `json:"sent_t_ns"`
	CeCount             uint64  `json:"ce_count"`
	QueuedBytes         uint64  `json:"queued_bytes"`
	ReceiveWindowBytes  uint64  `json:"receive_window_bytes"`
	SavedCwndBytes      uint64  `json:"saved_cwnd_bytes"`
	SavedRttNs          uint64  `json:"saved_rtt_ns"`
	EndpointMatches     bool    `json:"endpoint_matches"`
	InUse               bool    `json:"in_use"`
	ExpiresTNs          *uint64 `json:"expires_t_ns"`
	MaxJumpBytes        *uint64 `json:"max_jump_bytes"`
	BetaNumerator       uint64  `json:"beta_numerator"`
	BetaDenominator     uint64  `json:"beta_denominator"`
	Expect              Expect
	Allowed             Allowed
}

// Observed holds the observables that are compared here. A nil threshold is infinite.
type Observed struct {
	CwndBytes     uint64  `json:"cwnd_bytes"`
	SsthreshBytes *uint64 `json:"ssthresh_bytes"`
}

// Expect is what is expected after an event.
type Expect struct {
	Observed
	Phase, Outcome string
	NextReleaseNs  *uint64 `json:"next_release_ns"`
	Trigger        *string
	State          map[string]*uint64
}

// Allowed has every right value of an observable, where there is more than one.
type Allowed struct {
	CwndBytes      []uint64  `json:"cwnd_bytes"`
	SsthreshBytes  []*uint64 `json:"ssthresh_bytes"`
	Phase, Outcome []string
	NextReleaseNs  []*uint64 `json:"next_release_ns"`
	Trigger        []*string
}

// Case is a case with its events.
type Case struct {
	Config
	Events []Event
}

// Read reads all cases of a file. What a line has and its struct has not is an error.
func Read(file io.Reader) (cases []Case, err error) {
	lines := json.NewDecoder(file)
	lines.DisallowUnknownFields()
	next := func(into any, is *string, kind string) {
		if err == nil {
			err = lines.Decode(into)
		}
		if err == nil && *is != kind {
			err = fmt.Errorf("a line of the kind %q instead of %q", *is, kind)
		}
	}
	var header Header
	if next(&header, &header.Line, "profile"); err == nil && header.Format != 1 {
		err = fmt.Errorf("format %d", header.Format)
	}
	for len(cases) < header.Cases && err == nil {
		var one Case
		next(&one.Config, &one.Line, "case")
		for len(one.Events) < one.Config.Events && err == nil {
			var event Event
			next(&event, &event.Line, "event")
			one.Events = append(one.Events, event)
		}
		cases = append(cases, one)
	}
	return cases, err
}

// FirstDifference returns where a controller departs from a case, "" if it does not.
func FirstDifference(one Case, controller func(*Event) Observed) string {
	for i := range one.Events {
		event := &one.Events[i]
		place := fmt.Sprintf("%s, event %d (%s at %d ns)", one.Case, event.I, event.Ev, event.TNs)
		observed, expected := controller(event), event.Expect
		if observed.CwndBytes != expected.CwndBytes && !slices.Contains(event.Allowed.CwndBytes, observed.CwndBytes) {
			return fmt.Sprintf("%s: cwnd_bytes: expected %d, observed %d", place, expected.CwndBytes, observed.CwndBytes)
		}
		same := func(right *uint64) bool { return Text(right) == Text(observed.SsthreshBytes) }
		if !same(expected.SsthreshBytes) && !slices.ContainsFunc(event.Allowed.SsthreshBytes, same) {
			return fmt.Sprintf("%s: ssthresh_bytes: expected %s, observed %s", place, Text(expected.SsthreshBytes), Text(observed.SsthreshBytes))
		}
	}
	return ""
}

// Text returns a number, or null.
func Text(number *uint64) string {
	text, _ := json.Marshal(number)
	return string(text)
}
