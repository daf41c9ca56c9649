// Access to the congestion controller, which is private to the package. The build copies this file into a vendored copy
// of the package; no file of the package is changed or committed.

package quic

import "time"

// FirstflightState is the controller and the RTT estimator of one path.
type FirstflightState struct {
	cc  ccReno
	rtt rttState
}

// FirstflightPacket is a packet in flight.
type FirstflightPacket struct {
	Number int64
	Size   int
	Sent   time.Time
}

func (packet FirstflightPacket) sentPacket() *sentPacket {
	return &sentPacket{
		num: packetNumber(packet.Number), size: packet.Size, time: packet.Sent,
		ptype: packetType1RTT, ackEliciting: true, inFlight: true,
	}
}

// FirstflightNew returns the state at the beginning of a connection.
func FirstflightNew(maxDatagramSize int) *FirstflightState {
	state := &FirstflightState{cc: *newReno(maxDatagramSize)}
	state.rtt.init()
	return state
}

// Clone returns an independent copy.
func (state *FirstflightState) Clone() *FirstflightState {
	clone := *state
	return &clone
}

// Window returns the congestion window in bytes.
func (state *FirstflightState) Window() int { return state.cc.congestionWindow }

// SetWindow sets the congestion window, which the constructor only assigns.
func (state *FirstflightState) SetWindow(bytes int) { state.cc.congestionWindow = bytes }

// Threshold returns the slow-start threshold in bytes, math.MaxInt while it is infinite.
func (state *FirstflightState) Threshold() int { return state.cc.slowStartThreshold }

// InRecovery reports whether a recovery period has begun that persistent congestion has not ended.
func (state *FirstflightState) InRecovery() bool { return !state.cc.recoveryStartTime.IsZero() }

// Underutilized is the report of Conn.maybeSend after it has sent all available data.
func (state *FirstflightState) Underutilized(underutilized bool) {
	state.cc.setUnderutilized(nil, underutilized)
}

// Sent is called for each packet sent.
func (state *FirstflightState) Sent(now time.Time, packet FirstflightPacket) {
	state.cc.packetSent(now, nil, appDataSpace, packet.sentPacket())
}

// Acked is called for each packet newly acknowledged.
func (state *FirstflightState) Acked(now time.Time, packet FirstflightPacket) {
	state.cc.packetAcked(now, packet.sentPacket())
}

// Sample takes an RTT sample.
func (state *FirstflightState) Sample(now time.Time, latest, ackDelay, maxAckDelay time.Duration) {
	state.rtt.updateSample(now, true, appDataSpace, latest, ackDelay, maxAckDelay)
}

// Lost is called for each packet declared lost.
func (state *FirstflightState) Lost(now time.Time, packet FirstflightPacket) {
	state.cc.packetLost(now, appDataSpace, packet.sentPacket(), &state.rtt)
}

// BatchEnd is called after the packets of an ACK frame or of a loss timer.
func (state *FirstflightState) BatchEnd(now time.Time, maxAckDelay time.Duration) {
	state.cc.packetBatchEnd(now, nil, appDataSpace, &state.rtt, maxAckDelay)
}
