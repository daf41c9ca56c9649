package main

import (
	"bytes"
	"log"
	"reflect"

	"firstflight/adapter"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/faketime"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	nic = 1
	// Bytes that the endpoint reserves for options: timestamps and SACK blocks. A data segment carries only the
	// timestamps.
	optionBytes = 40
	// Payload bytes of an IPv4 packet.
	maxSegmentBytes = 0xffff - header.IPv4MinimumSize - header.TCPMinimumSize - optionBytes
	windowScale     = 14
	queueLength     = 1 << 16
	bufferBytes     = 64 << 20
	port            = 4433
	// Options of 40 bytes contain timestamps and three blocks.
	maxBlocks = 3
)

var (
	local  = tcpip.AddrFrom4([4]byte{10, 0, 0, 1})
	remote = tcpip.AddrFrom4([4]byte{10, 0, 0, 2})
)

// wire is an endpoint with a link that ends in the adapter, which plays the peer.
type wire struct {
	size      int // payload of a segment
	clock     *faketime.ManualClock
	now       adapter.Int
	stack     *stack.Stack
	link      *channel.Endpoint
	endpoint  tcpip.Endpoint
	processed chan struct{} // one for each segment that the endpoint has processed
	localPort uint16
	next      uint32 // sequence number of the first segment not yet acknowledged
	timestamp uint32 // the last that the endpoint sent
}

// segment is one with data that the endpoint has sent.
type segment struct {
	sequence, timestamp uint32
}

// connect opens a connection for segments of the given payload. The handshake takes no time, so that it gives no RTT sample.
func connect(control string, size int) *wire {
	w := &wire{size: size, clock: faketime.NewManualClock(), processed: make(chan struct{}, queueLength)}
	probe := func(*tcp.TCPEndpointState) { w.processed <- struct{}{} }
	w.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocolProbe(probe)},
		Clock:              w.clock,
	})
	w.link = channel.New(queueLength, uint32(size+header.IPv4MinimumSize+header.TCPMinimumSize+optionBytes), "")
	must(w.stack.CreateNIC(nic, w.link))
	address := tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: local.WithPrefix()}
	must(w.stack.AddProtocolAddress(nic, address, stack.AddressProperties{}))
	w.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})
	buffers := tcpip.TCPSendBufferSizeRangeOption{Min: 1, Default: bufferBytes, Max: bufferBytes}
	must(w.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &buffers))
	recovery := tcpip.TCPRecovery(0)
	must(w.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &recovery))
	congestionControl := tcpip.CongestionControlOption(control)
	must(w.stack.SetTransportProtocolOption(tcp.ProtocolNumber, &congestionControl))

	var queue waiter.Queue
	established, writable := waiter.NewChannelEntry(waiter.WritableEvents)
	queue.EventRegister(&established)
	endpoint, err := w.stack.NewEndpoint(tcp.ProtocolNumber, ipv4.ProtocolNumber, &queue)
	must(err)
	w.endpoint = endpoint
	err = w.endpoint.Connect(tcpip.FullAddress{NIC: nic, Addr: remote, Port: port})
	if _, started := err.(*tcpip.ErrConnectStarted); !started {
		log.Fatalf("connect: %v", err)
	}
	syn := w.read()
	w.localPort = syn.SourcePort()
	w.next = syn.SequenceNumber() + 1
	w.timestamp = header.ParseSynOptions(syn.Options(), false).TSVal
	w.inject(header.TCPFlagSyn|header.TCPFlagAck, w.next, w.synOptions())
	<-writable
	w.prime()
	return w
}

// prime lets the endpoint send a first segment, as a handshake above TCP would. Before the first acknowledgement,
// duplicate acknowledgements do not begin recovery, neither here nor in RFC 6582; in a case they do. Finally prime
// restores the window.
func (w *wire) prime() {
	window := int(w.info().SndCwnd)
	w.write(w.size)
	first := w.sent()
	w.acknowledge(map[uint32]bool{first[0].sequence: true}, 0)
	w.setWindow(window)
}

// setWindow sets the congestion window in segments. No option does; the constructor only assigns this field, and so does the adapter.
func (w *wire) setWindow(segments int) {
	sender := reflect.ValueOf(w.endpoint).Elem().FieldByName("snd").Elem()
	*(*int)(sender.FieldByName("SndCwnd").Addr().UnsafePointer()) = segments
}

func (w *wire) close() {
	w.endpoint.Abort()
	w.stack.Destroy()
}

// advance moves the clock on to the time of an event, from the first on. Timers that expire on the way are carried out.
func (w *wire) advance(t adapter.Int) {
	if w.now == 0 {
		w.now = t
	}
	w.clock.Advance((t - w.now).Duration())
	w.now = t
}

func (w *wire) timedOut() bool { return w.stack.Stats().TCP.Timeouts.Value() > 0 }

func (w *wire) info() tcpip.TCPInfoOption {
	var info tcpip.TCPInfoOption
	must(w.endpoint.GetSockOpt(&info))
	return info
}

// write hands data to the endpoint, which sends as much of it as its window lets out.
func (w *wire) write(count int) {
	written, err := w.endpoint.Write(bytes.NewReader(make([]byte, count)), tcpip.WriteOptions{})
	must(err)
	if int(written) != count {
		log.Fatalf("wrote %d of %d bytes", written, count)
	}
}

// sent returns the segments with data that have been sent since the last call.
func (w *wire) sent() []segment {
	var segments []segment
	for tcp := w.read(); tcp != nil; tcp = w.read() {
		w.timestamp = tcp.ParsedOptions().TSVal
		switch len(tcp.Payload()) {
		case 0:
		case w.size:
			segments = append(segments, segment{tcp.SequenceNumber(), w.timestamp})
		default:
			log.Fatalf("a segment of %d bytes", len(tcp.Payload()))
		}
	}
	return segments
}

// acknowledge sends one segment that acknowledges everything in acked, cumulatively and selectively. It reports whether there was
// room for all of it.
func (w *wire) acknowledge(acked map[uint32]bool, echo uint32) bool {
	for acked[w.next] {
		delete(acked, w.next)
		w.next += uint32(w.size)
	}
	blocks := w.blocks(acked)
	if len(blocks) > maxBlocks {
		return false
	}
	w.inject(header.TCPFlagAck, w.next, ackOptions(echo, blocks))
	<-w.processed
	return true
}
