// NewReno as in RFC 9002, section 7 and appendix B. Numbers are BigInt: windows go up to 2^62 - 1.

const MAX_WINDOW = 2n ** 62n - 1n;
export const min = (a, b) => (a < b ? a : b);
export const max = (a, b) => (a > b ? a : b);

export class NewReno {
  constructor(config) {
    this.datagram = config.max_datagram_size_bytes;
    this.cwnd = config.initial_window_bytes ?? min(10n * this.datagram, max(14720n, 2n * this.datagram));
    this.ssthresh = null;
    this.recoveryStart = null;
    this.inRecovery = false;
  }

  inSlowStart() {
    return this.ssthresh === null || this.cwnd < this.ssthresh;
  }

  sentInRecovery(sentTime) {
    return this.recoveryStart !== null && sentTime <= this.recoveryStart;
  }

  onAck(event) {
    for (const [first, last, size, sentTime] of event.packets) {
      if (this.sentInRecovery(sentTime)) continue;
      this.inRecovery = false;
      if (event.app_limited) continue;
      for (let packet = first; packet <= last; packet++) this.grow(size);
    }
  }

  grow(size) {
    const growth = this.inSlowStart() ? size : this.cwnd === 0n ? 0n : (this.datagram * size) / this.cwnd;
    this.cwnd = min(this.cwnd + growth, MAX_WINDOW);
  }

  onLost(event) {
    const latest = event.packets.map((run) => run[3]).reduce(max);
    this.onCongestion(latest, event.t_ns);
  }

  onCongestion(sentTime, now) {
    if (this.sentInRecovery(sentTime)) return;
    this.recoveryStart = now;
    this.inRecovery = true;
    this.ssthresh = this.cwnd / 2n;
    this.cwnd = max(this.ssthresh, 2n * this.datagram);
  }

  onPersistentCongestion() {
    this.cwnd = 2n * this.datagram;
    this.recoveryStart = null;
    this.inRecovery = false;
  }

  phase() {
    if (this.inRecovery) return "recovery";
    return this.inSlowStart() ? "slow_start" : "congestion_avoidance";
  }
}
