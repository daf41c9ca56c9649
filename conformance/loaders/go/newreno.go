package flat

// Mistake is planted for the test.
type Mistake int

const (
	none Mistake = iota
	appLimitedGrows
	staysInRecovery
)

// NewReno is a toy in the place of your controller: RFC 9002, section 7 and appendix B.
type NewReno struct {
	datagram, cwnd, recoveryStart, pathStart uint64
	configured                               *uint64

	ssthresh   *uint64
	inRecovery bool
	mistake    Mistake
}

// Begin returns a controller for a case.
func Begin(config Config, mistake Mistake) *NewReno {
	datagram := config.MaxDatagramSizeBytes
	c := &NewReno{datagram: datagram, configured: config.InitialWindowBytes, mistake: mistake}
	c.cwnd = c.firstWindow()
	return c
}

// firstWindow returns the window at the start of a path.
func (c *NewReno) firstWindow() uint64 {
	if c.configured != nil {
		return *c.configured
	}
	return initialWindow(c.datagram)
}

func initialWindow(datagram uint64) uint64 {
	return min(10*datagram, max(14720, 2*datagram))
}

// OnEvent processes an event.
func (c *NewReno) OnEvent(event *Event) Observed {
	switch event.Ev {
	case "ack":
		if event.NotInFlight {
			break
		}
		for _, run := range event.Packets {
			c.inRecovery = c.inRecovery && (run[3] <= c.recoveryStart || c.mistake == staysInRecovery)
			for packet := run[0]; packet <= run[1] && (c.mistake == appLimitedGrows || !event.AppLimited); packet++ {
				c.onPacketAcked(run[2], run[3])
			}
		}
	case "lost":
		if event.PmtuProbe { // ignore lost PMTU probes
			break
		}
		var latest uint64
		for _, run := range event.Packets {
			latest = max(latest, run[3])
		}
		c.onCongestion(latest, event.TNs)
	case "ce":
		c.onCongestion(event.SentTNs, event.TNs)
	case "persistent_congestion":
		c.cwnd, c.recoveryStart, c.inRecovery = 2*c.datagram, 0, false
	case "path_change":
		c.cwnd, c.ssthresh, c.recoveryStart, c.inRecovery = c.firstWindow(), nil, 0, false
		c.pathStart = event.TNs
	case "datagram_size":
		if event.Handshake && event.MaxDatagramSizeBytes < c.datagram {
			c.cwnd = min(c.cwnd, initialWindow(event.MaxDatagramSizeBytes))
		}
		c.datagram = event.MaxDatagramSizeBytes
	}
	observed := Observed{"cwnd_bytes": c.cwnd, "ssthresh_bytes": c.ssthresh, "phase": c.phase(), "recovery_start_ns": nil}
	if c.recoveryStart > 0 {
		observed["recovery_start_ns"] = c.recoveryStart
	}
	return observed
}

func (c *NewReno) phase() string {
	switch {
	case c.inRecovery:
		return "recovery"
	case c.ssthresh == nil || c.cwnd < *c.ssthresh:
		return "slow_start"
	}
	return "congestion_avoidance"
}

func (c *NewReno) isOld(sent uint64) bool {
	return sent <= max(c.recoveryStart, c.pathStart)
}

func (c *NewReno) onPacketAcked(size, sent uint64) {
	if c.isOld(sent) {
		return
	}
	if c.ssthresh != nil && c.cwnd >= *c.ssthresh {
		size = c.datagram * size / c.cwnd
	}
	c.cwnd = min(c.cwnd+size, 1<<62-1)
}

func (c *NewReno) onCongestion(sent, now uint64) {
	if !c.isOld(sent) {
		half := c.cwnd / 2
		c.recoveryStart, c.ssthresh, c.cwnd, c.inRecovery = now, &half, max(half, 2*c.datagram), true
	}
}
