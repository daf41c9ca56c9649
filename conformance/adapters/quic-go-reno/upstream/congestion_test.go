// Tests for quic-go that fail in v0.65.0, for the defects quic-go-1 to quic-go-3.
package upstream

import (
	"testing"

	"github.com/quic-go/quic-go/internal/congestion"
	"github.com/quic-go/quic-go/internal/monotime"
	"github.com/quic-go/quic-go/internal/protocol"
	"github.com/quic-go/quic-go/internal/utils"
)

type clock struct{}

func (clock) Now() monotime.Time { return 1 }

func reno(size protocol.ByteCount) congestion.SendAlgorithmWithDebugInfos {
	return congestion.NewCubicSender(clock{}, utils.NewRTTStats(), &utils.ConnectionStats{}, size, true, nil)
}

// RFC 9002, section 7.3.2: a loss halves the window.
func Test_quic_go_1(t *testing.T) {
	sender := reno(1200)
	before := sender.GetCongestionWindow()
	sender.OnPacketSent(1, 0, 1, 1200, true)
	sender.OnCongestionEvent(1, 1200, 1200)
	if window := sender.GetCongestionWindow(); window != before/2 {
		t.Errorf("the window is %d, expected %d", window, before/2)
	}
}

// RFC 9002, section 7.2: ten datagrams, at most 14720 bytes or two datagrams.
func Test_quic_go_2(t *testing.T) {
	for size, expected := range map[protocol.ByteCount]protocol.ByteCount{1200: 12000, 1500: 14720, 9000: 18000} {
		if window := reno(size).GetCongestionWindow(); window != expected {
			t.Errorf("with datagrams of %d bytes the window is %d, expected %d", size, window, expected)
		}
	}
}

// RFC 9002, section 7.3.1: the ACK of 77 bytes grows a window that is in use by 77 bytes.
func Test_quic_go_3(t *testing.T) {
	sender := reno(1200)
	before := sender.GetCongestionWindow()
	sender.OnPacketSent(1, before, 1, 77, true)
	sender.OnPacketAcked(1, 77, before, 2)
	if window := sender.GetCongestionWindow(); window != before+77 {
		t.Errorf("the window is %d, expected %d", window, before+77)
	}
}
