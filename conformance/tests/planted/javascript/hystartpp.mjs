// HyStart++, RFC 9406, over NewReno: in the first slow start of a connection.

import { NewReno, max, min } from "./newreno.mjs";

const MILLISECOND = 1_000_000n;
const N_RTT_SAMPLE = 8;
const MIN_RTT_THRESH = 4n * MILLISECOND;
const MAX_RTT_THRESH = 16n * MILLISECOND;
const MIN_RTT_DIVISOR = 8n;
const CSS_GROWTH_DIVISOR = 4n;
const CSS_ROUNDS = 5;
const L_UNPACED = 8n;

export class HyStartPlusPlus extends NewReno {
  constructor(config, paced) {
    super(config);
    this.limit = paced ? null : L_UNPACED * this.datagram;
    this.windowEnd = 0n;
    this.lastRoundMinRtt = null;
    this.currentRoundMinRtt = null;
    this.rttSampleCount = 0;
    this.inCss = false;
    this.cssBaselineMinRtt = null;
    this.cssRounds = 0;
  }

  onAck(event) {
    if (this.ssthresh !== null) {
      super.onAck(event);
      return;
    }
    const roundEnded = this.endRound(event);
    this.growInStart(event);
    if (event.latest_rtt_ns !== null) this.onSample(event.latest_rtt_ns);
    if (roundEnded && this.inCss && this.cssRounds >= CSS_ROUNDS) this.exit();
  }

  endRound(event) {
    const largest = event.packets.at(-1)[1];
    if (largest < this.windowEnd) return false;
    this.windowEnd = event.next_packet;
    this.lastRoundMinRtt = this.currentRoundMinRtt;
    this.currentRoundMinRtt = null;
    this.rttSampleCount = 0;
    if (this.inCss) this.cssRounds += 1;
    return true;
  }

  growInStart(event) {
    if (event.app_limited) return;
    let bytes = 0n;
    for (const [first, last, size, sentTime] of event.packets) {
      if (!this.sentInRecovery(sentTime)) bytes += (last - first + 1n) * size;
    }
    if (this.limit !== null) bytes = min(bytes, this.limit);
    if (this.inCss) bytes = bytes / CSS_GROWTH_DIVISOR;
    this.cwnd = min(this.cwnd + bytes, 2n ** 62n - 1n);
  }

  onSample(rtt) {
    this.currentRoundMinRtt = this.currentRoundMinRtt === null ? rtt : min(this.currentRoundMinRtt, rtt);
    this.rttSampleCount += 1;
    if (this.rttSampleCount < N_RTT_SAMPLE) return;
    if (this.inCss) {
      if (this.currentRoundMinRtt < this.cssBaselineMinRtt) this.resumeSlowStart();
    } else if (this.lastRoundMinRtt !== null && this.delayHasRisen()) {
      this.enterCss();
    }
  }

  // In eighths of a nanosecond, so that the eighth of the RTT is not rounded.
  delayHasRisen() {
    const low = MIN_RTT_DIVISOR * MIN_RTT_THRESH;
    const high = MIN_RTT_DIVISOR * MAX_RTT_THRESH;
    const threshold = max(low, min(this.lastRoundMinRtt, high));
    return MIN_RTT_DIVISOR * this.currentRoundMinRtt >= MIN_RTT_DIVISOR * this.lastRoundMinRtt + threshold;
  }

  enterCss() {
    this.inCss = true;
    this.cssBaselineMinRtt = this.currentRoundMinRtt;
    this.cssRounds = 0;
  }

  resumeSlowStart() {
    this.inCss = false;
    this.cssBaselineMinRtt = null;
    this.cssRounds = 0;
  }

  exit() {
    this.ssthresh = this.cwnd;
    this.leaveStart();
  }

  onCongestion(sentTime, now) {
    super.onCongestion(sentTime, now);
    if (this.ssthresh !== null) this.leaveStart();
  }

  leaveStart() {
    this.inCss = false;
    this.cssBaselineMinRtt = null;
  }

  phase() {
    return this.inCss ? "conservative_slow_start" : super.phase();
  }
}
