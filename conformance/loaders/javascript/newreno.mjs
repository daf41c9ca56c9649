// A toy controller in the place of yours.

const larger = (a, b) => (a > b ? a : b);
const smaller = (a, b) => (a < b ? a : b);

// RFC 9002, section 7 and appendix B. The mistakes are planted for the test: appLimitedGrows, staysInRecovery.
export class NewReno {
  constructor(config, mistakes = {}) {
    this.datagram = config.max_datagram_size_bytes;
    this.configured = config.initial_window_bytes;
    this.cwnd = this.configured ?? this.initialWindow();
    this.pathStart = 0n;
    this.ssthresh = null;
    this.recoveryStart = 0n;
    this.inRecovery = false;
    this.mistakes = mistakes;
  }

  onEvent(event) {
    if (event.ev === "ack" && !event.not_in_flight) {
      for (const [first, last, size, sent] of event.packets) {
        if (sent > this.recoveryStart && !this.mistakes.staysInRecovery) this.inRecovery = false;
        if (event.app_limited && !this.mistakes.appLimitedGrows) continue;
        for (let packet = first; packet <= last; packet++) this.onPacketAcked(size, sent);
      }
    } else if (event.ev === "lost" && !event.pmtu_probe) { // ignore lost PMTU probes
      this.onCongestion(event.packets.map((run) => run[3]).reduce(larger), event.t_ns);
    } else if (event.ev === "ce") {
      this.onCongestion(event.sent_t_ns, event.t_ns);
    } else if (event.ev === "persistent_congestion") {
      this.cwnd = 2n * this.datagram;
      this.recoveryStart = 0n;
      this.inRecovery = false;
    } else if (event.ev === "path_change") {
      this.cwnd = this.configured ?? this.initialWindow();
      this.ssthresh = null;
      this.recoveryStart = 0n;
      this.inRecovery = false;
      this.pathStart = event.t_ns;
    } else if (event.ev === "datagram_size") {
      const decreased = event.max_datagram_size_bytes < this.datagram;
      this.datagram = event.max_datagram_size_bytes;
      const first = this.initialWindow();
      if (decreased && event.handshake && first < this.cwnd) this.cwnd = first;
    }
    const phase = this.inRecovery ? "recovery" : this.isInSlowStart() ? "slow_start" : "congestion_avoidance";
    return { cwnd_bytes: this.cwnd, ssthresh_bytes: this.ssthresh, phase, recovery_start_ns: this.recoveryStart || null };
  }

  initialWindow() {
    return smaller(10n * this.datagram, larger(14720n, 2n * this.datagram));
  }

  isInSlowStart() {
    return this.ssthresh === null || this.cwnd < this.ssthresh;
  }

  isOld(sent) {
    return sent <= larger(this.recoveryStart, this.pathStart);
  }

  onPacketAcked(size, sent) {
    if (this.isOld(sent)) return;
    this.cwnd = smaller(this.cwnd + (this.isInSlowStart() ? size : (this.datagram * size) / this.cwnd), 2n ** 62n - 1n);
  }

  onCongestion(sent, now) {
    if (this.isOld(sent)) return;
    this.recoveryStart = now;
    this.inRecovery = true;
    this.ssthresh = this.cwnd / 2n;
    this.cwnd = larger(this.ssthresh, 2n * this.datagram);
  }
}
