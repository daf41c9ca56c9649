// The congestion controller of quic-go behind the adapter protocol (spec/adapter-protocol.md).
//
// The adapter runs the controller that quic-go runs: Reno, with HyStart by delay. quic-go contains CUBIC, but no user
// can select it. The adapter calls the same functions for an event as the stack's own sentPacketHandler, in the
// same order, once per packet. For an ACK frame, the RTT sample and the check whether to leave slow start
// precede these calls.
package main

import (
	"reflect"
	"time"

	"firstflight/adapter"
	"github.com/quic-go/quic-go/internal/congestion"
	"github.com/quic-go/quic-go/internal/monotime"
	"github.com/quic-go/quic-go/internal/protocol"
	"github.com/quic-go/quic-go/internal/utils"
)

// The largest max_ack_delay that a peer may declare (RFC 9000, section 18.2). The events lack it, so no delay in them
// exceeds this value.
const maxAckDelay = (1<<14 - 1) * time.Millisecond

func main() {
	hello := adapter.Hello{
		Name:        "quic-go reno",
		Version:     adapter.Version("github.com/quic-go/quic-go"),
		Algorithms:  map[string][]string{"slow-start": {"rfc-9002"}, "hystart": {"google-quic"}},
		Observables: []string{"cwnd_bytes", "ssthresh_bytes"},
		Clock:       "ns",
		Window:      "bytes",
		Arithmetic:  "float64", // only for the reduction
		Controller:  "newreno",
	}
	adapter.Serve(hello, func(config adapter.Config) (adapter.Controller, error) { return start(config), nil })
}

// connection is the congestion control state of one path.
type connection struct {
	sender congestion.SendAlgorithmWithDebugInfos
	rtt    *utils.RTTStats
	now    monotime.Time
	// Send time of the largest acknowledged packet.
	largestAckedTime monotime.Time
	// Lost packets, until a spurious loss.
	lost []protocol.PacketNumber
}

// Now makes the connection the clock of its controller.
func (c *connection) Now() monotime.Time { return c.now }

func start(config adapter.Config) *connection {
	c := &connection{rtt: utils.NewRTTStats()}
	c.rtt.SetMaxAckDelay(maxAckDelay)
	size := protocol.ByteCount(config.MaxDatagramSizeBytes)
	c.sender = congestion.NewCubicSender(c, c.rtt, &utils.ConnectionStats{}, size, true, nil) // true: use Reno
	// In a connection path MTU discovery sets the size, and informs the pacer as well.
	c.sender.SetMaxDatagramSize(size)
	if config.InitialWindowBytes != nil {
		// A parameter for it is missing. The constructor only assigns this private field; so does the adapter.
		*(*protocol.ByteCount)(c.field("congestionWindow").Addr().UnsafePointer()) =
			protocol.ByteCount(*config.InitialWindowBytes)
	}
	return c
}

func (c *connection) field(name string) reflect.Value {
	return reflect.ValueOf(c.sender).Elem().FieldByName(name)
}

func (c *connection) Observe() adapter.Observed {
	observed := adapter.Observed{CwndBytes: adapter.Int(c.sender.GetCongestionWindow())}
	// The threshold is private, and nothing returns it.
	if threshold := adapter.Int(c.field("slowStartThreshold").Int()); threshold != adapter.Int(protocol.MaxByteCount) {
		observed.SsthreshBytes = &threshold
	}
	return observed
}

func (c *connection) Process(event *adapter.Event) error {
	c.now = monotime.Time(event.TimeNs)
	prior := protocol.ByteCount(event.PriorInFlight())
	switch event.Kind {
	case "sent":
		inFlight := protocol.ByteCount(event.BytesInFlight - event.Bytes)
		event.EachPacket(func(packet adapter.Packet) {
			size := protocol.ByteCount(packet.SizeBytes)
			inFlight += size
			c.sender.OnPacketSent(c.now, inFlight, protocol.PacketNumber(packet.Number), size, true)
		})
	case "ack":
		c.measure(event)
		event.EachPacket(func(packet adapter.Packet) {
			size := protocol.ByteCount(packet.SizeBytes)
			c.sender.OnPacketAcked(protocol.PacketNumber(packet.Number), size, prior, c.now)
		})
	case "lost":
		event.EachPacket(func(packet adapter.Packet) {
			number := protocol.PacketNumber(packet.Number)
			c.sender.OnCongestionEvent(number, protocol.ByteCount(packet.SizeBytes), prior)
			c.lost = append(c.lost, number)
		})
	case "ce":
		// The size is 0. The event lacks the bytes in flight; the function does not use them.
		c.sender.OnCongestionEvent(protocol.PacketNumber(event.Packet), 0, 0)
	case "spurious_loss": // for all packets lost so far; the controller ignores packets outside its last reduction
		for _, number := range c.lost {
			c.sender.OnSpuriousLoss(number)
		}
		c.lost = nil
	case "pto": // The sentPacketHandler does not notify the controller.
	case "persistent_congestion":
		return adapter.Unsupported("quic-go knows no persistent congestion: nothing calls OnRetransmissionTimeout")
	default:
		return adapter.Unsupported("no function for the event " + event.Kind)
	}
	return nil
}

// measure takes the RTT sample of an ACK frame.
func (c *connection) measure(event *adapter.Event) {
	if event.LatestRttNs == nil {
		return
	}
	if sent := monotime.Time(event.Packets[len(event.Packets)-1].SentTimeNs); sent >= c.largestAckedTime {
		c.rtt.UpdateRTT(event.LatestRttNs.Duration(), min(event.AckDelayNs.Duration(), maxAckDelay))
		c.largestAckedTime = sent
	}
	c.sender.MaybeExitSlowStart()
}
