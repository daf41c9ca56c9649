package main

import "math/big"

const (
	windowBins      = 10
	maxShiftBins    = 14
	slots           = 32 // more bins than an evaluation reads
	ticksPerNs      = 20 // so that a bin of 0.35 RTT is a whole number of ticks
	binTicksPerNs   = 7
	targetBins      = 3  // the initial RTT over the bin duration, rounded up
	targetDatagrams = 10 // minimum target of the drain
	packetsPerDrain = 3
)

// series has the value of a counter at the start of each of the last bins.
type series struct {
	total   uint64
	atStart [slots]uint64
}

// at returns the slot of a bin; bins before bin 0 are empty.
func (s *series) at(bin int64) *uint64 {
	return &s.atStart[uint64(bin)%slots]
}

func (s *series) window(bin int64) uint64 {
	return s.bins(bin, windowBins)
}

// bins returns the bytes of the last count bins before this bin.
func (s *series) bins(before, count int64) uint64 {
	return *s.at(before) - *s.at(before - count)
}

// advance ends bins; the last of them has all bytes counted since the start of the open bin.
func (s *series) advance(open, ended int64) {
	before := *s.at(open)
	for i := max(1, ended-slots); i < ended; i++ {
		*s.at(open + i) = before
	}
	*s.at(open + ended) = s.total
}

// search is draft-chung-ccwg-search-09 over NewReno.
type search struct {
	*newReno
	latestRtt       uint64
	rttKnown        bool
	started, over   bool
	binTicks        uint64
	binEnd          uint64 // in ticks
	open            int64  // index of the open bin
	sent, delivered series
	draining        bool
	target          uint64
	ackedSinceLeave uint64 // packets
}

func (c *search) onSent(sent *event) {
	if c.started && c.inSlowStart() {
		c.sent.total += uint64(sent.Bytes)
	}
}

func (c *search) onAck(ack *event) {
	if ack.LatestRttNs != nil {
		c.latestRtt, c.rttKnown = uint64(*ack.LatestRttNs), true
	}
	if c.inSlowStart() && !c.over {
		if c.draining {
			c.drain(ack)
			return
		}
		if c.search(ack) {
			c.beginDrain()
			return
		}
	}
	c.newReno.onAck(ack)
}

// search counts an ACK and returns whether slow start ends with it.
func (c *search) search(ack *event) bool {
	now := ticksPerNs * uint64(ack.TNs)
	if !c.started {
		if c.rttKnown {
			c.start(now)
		}
		return false
	}
	c.delivered.total += uint64(ack.Bytes)
	if now <= c.binEnd {
		return false
	}
	ended := (now-c.binEnd)/c.binTicks + 1
	c.sent.advance(c.open, int64(ended))
	c.delivered.advance(c.open, int64(ended))
	c.open += int64(ended)
	c.binEnd += ended * c.binTicks
	return c.evaluate()
}

func (c *search) start(now uint64) {
	c.started = true
	c.binTicks = binTicksPerNs * max(1, c.latestRtt)
	c.binEnd = now + c.binTicks
	c.open = 0
	c.sent, c.delivered = series{}, series{}
}

func (c *search) evaluate() bool {
	rtt := ticksPerNs * max(1, c.latestRtt)
	shift := rtt / c.binTicks
	if shift > uint64(c.open) || c.open-int64(shift) <= windowBins || shift > maxShiftBins {
		return false
	}
	earlier := c.open - int64(shift)
	rest := rtt % c.binTicks
	current := product(c.delivered.window(c.open), c.binTicks)
	previous := product(c.sent.window(earlier), c.binTicks-rest)
	previous.Add(previous, product(c.sent.window(earlier-1), rest))
	if previous.Sign() == 0 {
		return false
	}
	// (previous - current) / previous >= 0.26
	return previous.Mul(previous, big.NewInt(37)).Cmp(current.Mul(current, big.NewInt(50))) >= 0
}

func product(a, b uint64) *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

func (c *search) beginDrain() {
	c.draining = true
	c.ackedSinceLeave = 0
	c.target = max(c.delivered.bins(c.open, targetBins), targetDatagrams*c.datagram)
}

func (c *search) drain(ack *event) {
	for _, run := range ack.Packets {
		c.ackedSinceLeave += uint64(run[1] - run[0] + 1)
	}
	leave := c.ackedSinceLeave / packetsPerDrain
	c.ackedSinceLeave %= packetsPerDrain
	c.cwnd = max(uint64(ack.BytesInFlight)+leave*c.datagram, c.target)
	if c.cwnd == c.target {
		c.ssthresh, c.bounded = c.target, true
		c.draining, c.over = false, true
	}
}

func (c *search) onPersistentCongestion() {
	c.newReno.onPersistentCongestion()
	c.started, c.draining, c.over = false, false, false
}
