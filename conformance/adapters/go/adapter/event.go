package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Int is a number of the protocol: from 2^53 on it is written as a decimal string.
type Int int64

// UnmarshalJSON reads both forms.
func (n *Int) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	value, err := strconv.ParseInt(string(bytes.Trim(text, `"`)), 10, 64)
	*n = Int(value)
	return err
}

// MarshalJSON writes the form that fits.
func (n Int) MarshalJSON() ([]byte, error) {
	text := strconv.FormatInt(int64(n), 10)
	if n >= 1<<53 {
		text = strconv.Quote(text)
	}
	return []byte(text), nil
}

// Run is a run of packets. SentTimeNs is zero in the runs of a sent event.
type Run struct {
	First, Last, SizeBytes, SentTimeNs Int
}

// UnmarshalJSON reads [first, last, size] or [first, last, size, time].
func (run *Run) UnmarshalJSON(text []byte) error {
	var numbers []Int
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	if len(numbers) < 3 || len(numbers) > 4 {
		return fmt.Errorf("a run of packets has 3 or 4 numbers, not %d", len(numbers))
	}
	*run = Run{First: numbers[0], Last: numbers[1], SizeBytes: numbers[2]}
	if len(numbers) == 4 {
		run.SentTimeNs = numbers[3]
	}
	return nil
}

// Event is an event of spec/events.md: the members that the adapters use.
type Event struct {
	Kind          string `json:"ev"`
	TimeNs        Int    `json:"t_ns"`
	Packets       []Run  `json:"packets"`
	Bytes         Int    `json:"bytes"`
	BytesInFlight Int    `json:"bytes_in_flight"` // after the event
	AppLimited    bool   `json:"app_limited"`
	LatestRttNs   *Int   `json:"latest_rtt_ns"`
	AckDelayNs    Int    `json:"ack_delay_ns"`
	Packet        Int    `json:"packet"`
}

// PriorInFlight returns the bytes in flight before an ack or a lost event.
func (event *Event) PriorInFlight() Int { return event.BytesInFlight + event.Bytes }

// Packet is one packet of a run.
type Packet struct {
	Number, SizeBytes, SentTimeNs Int
}

// EachPacket calls do for the packets of the event in rising order. In a sent event they are sent at its time.
func (event *Event) EachPacket(do func(Packet)) {
	for _, run := range event.Packets {
		sent := run.SentTimeNs
		if event.Kind == "sent" {
			sent = event.TimeNs
		}
		for number := run.First; number <= run.Last; number++ {
			do(Packet{number, run.SizeBytes, sent})
		}
	}
}

// Duration returns a number of nanoseconds as Go has it.
func (n Int) Duration() time.Duration { return time.Duration(n) }
