package main

const maxWindow = 1<<62 - 1

// newReno is RFC 9002, section 7 and appendix B.
type newReno struct {
	datagram, cwnd uint64
	ssthresh       uint64 // 0: infinite; see bounded
	bounded        bool   // whether there is a threshold
	recoveryStart  uint64
	reduced        bool // whether recoveryStart counts
	inRecovery     bool
}

func newNewReno(config config) *newReno {
	datagram := uint64(config.MaxDatagramSizeBytes)
	cwnd := min(10*datagram, max(14720, 2*datagram))
	if config.InitialWindowBytes != nil {
		cwnd = uint64(*config.InitialWindowBytes)
	}
	return &newReno{datagram: datagram, cwnd: cwnd}
}

func (c *newReno) inSlowStart() bool {
	return !c.inRecovery && (!c.bounded || c.cwnd < c.ssthresh)
}

func (c *newReno) onAck(ack *event) {
	for _, run := range ack.Packets {
		size, sentTime := uint64(run[2]), uint64(run[3])
		if c.reduced && sentTime <= c.recoveryStart {
			continue
		}
		c.inRecovery = false
		if ack.AppLimited {
			continue
		}
		for packet := run[0]; packet <= run[1]; packet++ {
			c.grow(size)
		}
	}
}

func (c *newReno) grow(size uint64) {
	if !c.inSlowStart() {
		size = c.datagram * size / c.cwnd
	}
	c.cwnd = min(c.cwnd+size, maxWindow)
}

func (c *newReno) onLost(lost *event) {
	var latest uint64
	for _, run := range lost.Packets {
		latest = max(latest, uint64(run[3]))
	}
	c.onCongestion(latest, uint64(lost.TNs))
}

func (c *newReno) onCongestion(sentTime, now uint64) {
	if c.reduced && sentTime <= c.recoveryStart {
		return
	}
	c.recoveryStart, c.reduced, c.inRecovery = now, true, true
	c.ssthresh, c.bounded = c.cwnd/2, true
	c.cwnd = max(c.ssthresh, 2*c.datagram)
}

func (c *newReno) onPersistentCongestion() {
	c.cwnd = 2 * c.datagram
	c.reduced, c.inRecovery = false, false
}
