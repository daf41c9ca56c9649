/** RFC 9002, section 7 and appendix B: normal congestion control. */
final class NewReno {
    private static final long MAX_WINDOW = (1L << 62) - 1;
    private final boolean slowStartAtThreshold;
    final long datagram;
    final long initialWindow;
    long cwnd;
    Long ssthresh; // null: infinite
    Long recoveryStart;
    boolean inRecovery;

    NewReno(long datagram, Long initialWindow, boolean slowStartAtThreshold) {
        this.datagram = datagram;
        this.initialWindow = initialWindow != null ? initialWindow : Math.min(10 * datagram, Math.max(14720, 2 * datagram));
        this.slowStartAtThreshold = slowStartAtThreshold;
        cwnd = this.initialWindow;
    }

    boolean inSlowStart() {
        return !inRecovery && (ssthresh == null || cwnd < ssthresh || slowStartAtThreshold && cwnd == ssthresh);
    }

    String phase() {
        return inRecovery ? "recovery" : inSlowStart() ? "slow_start" : "congestion_avoidance";
    }

    long minimumWindow() {
        return 2 * datagram;
    }

    boolean sentBeforeRecovery(long sentTime) {
        return recoveryStart != null && sentTime <= recoveryStart;
    }

    void onAck(Event ack) {
        for (var run : ack.runs()) {
            if (sentBeforeRecovery(run.sentTime())) continue;
            inRecovery = false;
            if (ack.flag("app_limited")) continue;
            for (long packet = 0; packet < run.packets(); packet++) grow(run.size());
        }
    }

    private void grow(long size) {
        long growth = inSlowStart() ? size : cwnd == 0 ? 0 : datagram * size / cwnd;
        cwnd = Math.min(cwnd + growth, MAX_WINDOW);
    }

    void onLost(Event lost) {
        onCongestion(lost.runs().stream().mapToLong(Event.Run::sentTime).max().orElseThrow(), lost.now());
    }

    void onCongestion(long sentTime, long now) {
        if (sentBeforeRecovery(sentTime)) return;
        beginRecovery(now);
        ssthresh = cwnd / 2;
        cwnd = Math.max(ssthresh, minimumWindow());
    }

    void beginRecovery(long now) {
        recoveryStart = now;
        inRecovery = true;
    }

    void onPersistentCongestion() {
        cwnd = minimumWindow();
        recoveryStart = null;
        inRecovery = false;
    }
}
