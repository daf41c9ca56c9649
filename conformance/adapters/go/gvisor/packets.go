package main

import (
	"log"
	"slices"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip/checksum"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/seqnum"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// read takes the next segment that the endpoint has sent, nil if there is none.
func (w *wire) read() header.TCP {
	packet := w.link.Read()
	if packet == nil {
		return nil
	}
	defer packet.DecRef()
	bytes := packet.ToBuffer()
	defer bytes.Release()
	return header.TCP(header.IPv4(bytes.Flatten()).Payload())
}

// inject hands the endpoint a segment without data.
func (w *wire) inject(flags header.TCPFlags, acknowledged uint32, options []byte) {
	length := header.TCPMinimumSize + len(options)
	packet := make([]byte, header.IPv4MinimumSize+length)
	ip := header.IPv4(packet)
	ip.Encode(&header.IPv4Fields{
		TotalLength: uint16(len(packet)), TTL: 64, Protocol: uint8(tcp.ProtocolNumber), SrcAddr: remote, DstAddr: local,
	})
	ip.SetChecksum(^ip.CalculateChecksum())
	segment := header.TCP(ip.Payload())
	sequence := uint32(1)
	if flags.Contains(header.TCPFlagSyn) {
		sequence = 0
	}
	segment.Encode(&header.TCPFields{
		SrcPort: port, DstPort: w.localPort, SeqNum: sequence, AckNum: acknowledged,
		DataOffset: uint8(length), Flags: flags, WindowSize: 0xffff,
	})
	copy(segment.Options(), options)
	sum := header.PseudoHeaderChecksum(tcp.ProtocolNumber, remote, local, uint16(length))
	segment.SetChecksum(^segment.CalculateChecksum(checksum.Checksum(nil, sum)))
	buffered := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(packet)})
	defer buffered.DecRef()
	w.link.InjectInbound(ipv4.ProtocolNumber, buffered)
}

// synOptions offers segments of the right size, a window of a gigabyte, selective acknowledgements and timestamps.
func (w *wire) synOptions() []byte {
	options := make([]byte, header.TCPOptionsMaximumSize)
	used := header.EncodeMSSOption(uint32(w.size+optionBytes), options)
	used += header.EncodeSACKPermittedOption(options[used:])
	used += header.EncodeTSOption(1, w.timestamp, options[used:])
	used += header.EncodeNOP(options[used:])
	used += header.EncodeWSOption(windowScale, options[used:])
	return options[:used]
}

// ackOptions holds the timestamp that is echoed and the blocks.
func ackOptions(echo uint32, blocks []header.SACKBlock) []byte {
	options := make([]byte, header.TCPOptionsMaximumSize)
	used := header.EncodeNOP(options)
	used += header.EncodeNOP(options[used:])
	used += header.EncodeTSOption(1, echo, options[used:])
	if len(blocks) > 0 {
		used += header.EncodeNOP(options[used:])
		used += header.EncodeNOP(options[used:])
		used += header.EncodeSACKBlocks(blocks, options[used:])
	}
	return options[:used]
}

// blocks returns the acknowledged ranges after the first gap, newest first.
func (w *wire) blocks(acked map[uint32]bool) []header.SACKBlock {
	var offsets []uint32
	for sequence := range acked {
		offsets = append(offsets, sequence-w.next)
	}
	slices.Sort(offsets)
	var blocks []header.SACKBlock
	for _, offset := range slices.Backward(offsets) {
		start := seqnum.Value(w.next + offset)
		end := start.Add(seqnum.Size(w.size))
		if last := len(blocks) - 1; last >= 0 && blocks[last].Start == end {
			blocks[last].Start = start
		} else {
			blocks = append(blocks, header.SACKBlock{Start: start, End: end})
		}
	}
	return blocks
}

// must ends the program if the stack refuses something that it never refuses.
func must(err any) {
	if err != nil {
		log.Fatalf("the stack refuses: %v", err)
	}
}
