// A TCP endpoint of gVisor's netstack behind the adapter protocol (spec/adapter-protocol.md).
//
// The argument is its congestion control, `reno` or `cubic`. The adapter is both the application and the peer. A sent
// event writes the data of its packets. An ack event becomes one segment with cumulative and selective
// acknowledgements. The clock of the stack stops in between. Window and threshold are read by the socket option
// TCP_INFO; they count segments. The payload of a segment is the datagram of the case.
//
// The RTT sample of an event is passed on by the echoed timestamp of the segment, in milliseconds. TCP detects losses
// itself, in the segment that reveals them; a lost event adds no information. RACK is off, because it sends probes and
// detects losses by timers.
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"strings"

	"firstflight/adapter"
	"gvisor.dev/gvisor/pkg/tcpip"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "reno" && os.Args[1] != "cubic" {
		log.Fatal("usage: gvisor reno|cubic")
	}
	arithmetic, avoidance, controller := "integer", "", "newreno"
	algorithms := map[string][]string{"slow-start": {"rfc-9002"}}
	if os.Args[1] == "cubic" {
		arithmetic, avoidance, controller = "float64", "datagram", "cubic"
		algorithms["cubic"] = []string{"rfc-9438"}
		algorithms["hystart"] = []string{"linux+cubic"}
	}
	version := adapter.Version("gvisor.dev/gvisor")
	hello := adapter.Hello{
		Name:        "gVisor netstack " + os.Args[1],
		Version:     version[:strings.LastIndex(version, "-")], // without the hash
		Algorithms:  algorithms,
		Observables: []string{"cwnd_bytes", "ssthresh_bytes"},
		Clock:       "ms",
		Window:      "packets",
		Arithmetic:  arithmetic,
		Avoidance:   avoidance,
		Controller:  controller,
	}
	var last *connection
	adapter.Serve(hello, func(config adapter.Config) (adapter.Controller, error) {
		if last != nil {
			last.wire.close()
			last = nil
		}
		if config.MaxDatagramSizeBytes > maxSegmentBytes {
			return nil, adapter.Unsupported(fmt.Sprintf("a segment holds at most %d bytes", maxSegmentBytes))
		}
		last = &connection{wire: connect(os.Args[1], int(config.MaxDatagramSizeBytes)), acked: map[uint32]bool{}}
		if window := config.InitialWindowBytes; window != nil {
			segments := *window / config.MaxDatagramSizeBytes
			if *window%config.MaxDatagramSizeBytes != 0 || segments > math.MaxUint32/2 {
				return nil, adapter.Unsupported("the window is a number of segments, of which TCP_INFO reports 32 bits")
			}
			last.wire.setWindow(int(segments))
		}
		return last, nil
	})
}

// connection maps the packets of a case to the segments of the endpoint.
type connection struct {
	wire *wire
	// Sent segments, in order: the packets of the case, by number, and after them segments without an event yet.
	segments []segment
	packets  int
	// Acknowledged segments, by sequence number.
	acked map[uint32]bool
}

func (c *connection) Observe() adapter.Observed {
	info := c.wire.info()
	size := adapter.Int(c.wire.size)
	observed := adapter.Observed{CwndBytes: adapter.Int(info.SndCwnd) * size}
	if info.SndSsthresh != math.MaxUint32 {
		threshold := adapter.Int(info.SndSsthresh) * size
		observed.SsthreshBytes = &threshold
	}
	return observed
}

func (c *connection) Process(event *adapter.Event) error {
	c.wire.advance(event.TimeNs)
	if c.wire.timedOut() {
		return adapter.Unsupported("the retransmission timer has expired, which the case does not have")
	}
	switch event.Kind {
	case "sent":
		return c.send(event)
	case "ack":
		return c.acknowledge(event)
	case "lost":
		if state := c.wire.info().CcState; state != tcpip.SACKRecovery {
			return adapter.Unsupported("TCP finds losses by itself, and this one it has not found")
		}
		return nil
	case "ce":
		return adapter.Unsupported("the endpoint does not speak ECN")
	}
	return adapter.Unsupported("TCP knows no event " + event.Kind)
}

func (c *connection) send(event *adapter.Event) error {
	count := 0
	for _, run := range event.Packets {
		if int(run.SizeBytes) != c.wire.size {
			return adapter.Unsupported(fmt.Sprintf("a segment has %d bytes, not %d", c.wire.size, run.SizeBytes))
		}
		count += int(run.Last - run.First + 1)
	}
	c.segments = append(c.segments, c.wire.sent()...)
	if missing := c.packets + count - len(c.segments); missing > 0 {
		c.wire.write(missing * c.wire.size)
		c.segments = append(c.segments, c.wire.sent()...)
	}
	c.packets += count
	if len(c.segments) < c.packets {
		return adapter.Unsupported("the window of the endpoint is smaller than what the case sends")
	}
	return nil
}

func (c *connection) acknowledge(event *adapter.Event) error {
	var echo uint32 // none, without an RTT sample
	event.EachPacket(func(packet adapter.Packet) {
		segment := c.segments[packet.Number]
		if int32(segment.sequence-c.wire.next) >= 0 {
			c.acked[segment.sequence] = true
		}
		if event.LatestRttNs != nil {
			echo = segment.timestamp
		}
	})
	if !c.wire.acknowledge(c.acked, echo) {
		return adapter.Unsupported("more gaps than a segment has room for")
	}
	return nil
}
