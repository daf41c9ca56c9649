// The NewReno controller of golang.org/x/net/quic behind the adapter protocol (spec/adapter-protocol.md).
//
// The adapter calls the same functions for an event as the stack's own lossState, in the same order. There is one call
// per packet, and one at the end of the batch. In the stack a batch is one ACK frame or one expired loss timer. Here a
// batch is one event, so an ACK and a loss at the same time are two batches, in the order of the vector.
package main

import (
	"math"
	"time"

	"firstflight/adapter"
	"golang.org/x/net/quic"
)

const (
	// The default max_ack_delay (RFC 9000, section 18.2).
	maxAckDelay = 25 * time.Millisecond
	// With a max_ack_delay like this no loss lasts long enough to establish persistent congestion.
	neverPersistent = 24 * 365 * time.Hour
)

func main() {
	hello := adapter.Hello{
		Name:        "golang.org/x/net/quic NewReno",
		Version:     adapter.Version("golang.org/x/net"),
		Algorithms:  map[string][]string{"slow-start": {"rfc-9002"}},
		Observables: []string{"cwnd_bytes", "ssthresh_bytes"},
		Clock:       "ns",
		Window:      "bytes",
		Arithmetic:  "integer",
	}
	adapter.Serve(hello, func(config adapter.Config) (adapter.Controller, error) {
		c := &connection{state: quic.FirstflightNew(int(config.MaxDatagramSizeBytes))}
		if config.InitialWindowBytes != nil {
			// A parameter for it is missing. The constructor only assigns this private field; so does the adapter.
			c.state.SetWindow(int(*config.InitialWindowBytes))
		}
		return c, nil
	})
}

type connection struct {
	state *quic.FirstflightState
	// State after a loss that established persistent congestion. The stack detects it within the loss; the protocol
	// reports it in the next event. Until then, the field state is the state after the loss alone.
	collapsed *quic.FirstflightState
}

func (c *connection) Observe() adapter.Observed {
	observed := adapter.Observed{CwndBytes: adapter.Int(c.state.Window())}
	if threshold := adapter.Int(c.state.Threshold()); threshold != math.MaxInt {
		observed.SsthreshBytes = &threshold
	}
	return observed
}

func (c *connection) Process(event *adapter.Event) error {
	now := at(event.TimeNs)
	collapsed := c.collapsed != nil
	if collapsed {
		c.state, c.collapsed = c.collapsed, nil
	}
	switch event.Kind {
	case "sent":
		event.EachPacket(func(packet adapter.Packet) { c.state.Sent(now, inFlight(packet)) })
		c.state.Underutilized(event.AppLimited)
	case "ack":
		event.EachPacket(func(packet adapter.Packet) { c.state.Acked(now, inFlight(packet)) })
		if event.LatestRttNs != nil {
			c.state.Sample(now, event.LatestRttNs.Duration(), event.AckDelayNs.Duration(), maxAckDelay)
		}
		c.state.BatchEnd(now, maxAckDelay)
	case "lost":
		event.EachPacket(func(packet adapter.Packet) { c.state.Lost(now, inFlight(packet)) })
		after := c.state.Clone()
		c.state.BatchEnd(now, neverPersistent)
		after.BatchEnd(now, maxAckDelay)
		if c.state.InRecovery() && !after.InRecovery() {
			c.collapsed = after
		} else {
			c.state = after
		}
	case "persistent_congestion":
		if !collapsed {
			return adapter.Unsupported("ccReno.packetBatchEnd establishes persistent congestion itself, and here it does not: " +
				"it wants an RTT sample from before the loss, and a loss that lasts three probe timeouts")
		}
	case "ce":
		return adapter.Unsupported("Conn.handleAckFrame drops the ECN counters: the controller never learns of them")
	case "pto": // The stack's lossState tells the controller nothing.
	default:
		return adapter.Unsupported("no function for the event " + event.Kind)
	}
	return nil
}

func at(t adapter.Int) time.Time { return time.Unix(0, int64(t)) }

func inFlight(packet adapter.Packet) quic.FirstflightPacket {
	return quic.FirstflightPacket{Number: int64(packet.Number), Size: int(packet.SizeBytes), Sent: at(packet.SentTimeNs)}
}
