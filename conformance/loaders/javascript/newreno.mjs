// A toy controller in the place of yours.

const larger = (a, b) => (a > b ? a : b);
const smaller = (a, b) => (a < b ? a : b);

// RFC 9002, section 7 and appendix B. appLimitedGrows is a mistake, planted for the test.
export class NewReno {
  constructor(config, appLimitedGrows) {
    this.datagram = config.max_datagram_size_bytes;
    this.cwnd = config.initial_window_bytes ?? smaller(10n * this.datagram, larger(14720n, 2n * this.datagram));
    this.ssthresh = null;
    this.recoveryStart = 0n;
    this.appLimitedGrows = appLimitedGrows;
  }

  onEvent(event) {
    if (event.ev === "ack" && (this.appLimitedGrows || !event.app_limited)) {
      for (const [first, last, size, sent] of event.packets) {
        for (let packet = first; packet <= last; packet++) this.onPacketAcked(size, sent);
      }
    } else if (event.ev === "lost") {
      this.onCongestion(event.packets.map((run) => run[3]).reduce(larger), event.t_ns);
    } else if (event.ev === "ce") {
      this.onCongestion(event.sent_t_ns, event.t_ns);
    } else if (event.ev === "persistent_congestion") {
      this.cwnd = 2n * this.datagram;
      this.recoveryStart = 0n;
    }
    return { cwnd_bytes: this.cwnd, ssthresh_bytes: this.ssthresh };
  }

  onPacketAcked(size, sent) {
    if (sent <= this.recoveryStart) return;
    const slowStart = this.ssthresh === null || this.cwnd < this.ssthresh;
    this.cwnd = smaller(this.cwnd + (slowStart ? size : (this.datagram * size) / this.cwnd), 2n ** 62n - 1n);
  }

  onCongestion(sent, now) {
    if (sent <= this.recoveryStart) return;
    this.recoveryStart = now;
    this.ssthresh = this.cwnd / 2n;
    this.cwnd = larger(this.ssthresh, 2n * this.datagram);
  }
}
