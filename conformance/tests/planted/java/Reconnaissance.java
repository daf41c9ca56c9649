/** The state before the jump: whether the path matches the saved path, and whether the initial data arrived. */
final class Reconnaissance {
    private final Event saved;
    private long firstSent = -1;
    private long initialEnd = -1; // the last packet of the initial data; -1 while it is being sent
    private long lastSent = -1;
    private long unacknowledged; // packets of the initial data
    private Long minRtt;
    private Long latestRtt;

    Reconnaissance(Event saved) {
        this.saved = saved;
    }

    void onSent(Event sent) {
        for (var run : sent.runs()) {
            if (firstSent < 0) firstSent = run.first();
            lastSent = run.last();
            if (initialEnd < 0) unacknowledged += run.packets();
        }
    }

    void onAck(Event ack) {
        Long sample = ack.perhaps("latest_rtt_ns");
        if (sample != null) {
            latestRtt = sample;
            minRtt = minRtt == null ? sample : Math.min(minRtt, sample);
        }
        if (firstSent < 0 || ack.largest() < firstSent) return;
        if (initialEnd < 0) initialEnd = lastSent;
        for (var run : ack.runs()) {
            long from = Math.max(run.first(), firstSent);
            long to = Math.min(run.last(), initialEnd);
            unacknowledged -= Math.max(to - from + 1, 0);
        }
    }

    /** Whether the RTT matches the saved path. */
    boolean fits() {
        return minRtt == null || fits(minRtt, latestRtt, saved);
    }

    static boolean fits(long low, long high, Event saved) {
        long savedRtt = saved.number("saved_rtt_ns");
        return 2 * low > savedRtt && high <= 10 * savedRtt;
    }

    boolean confirmed() {
        return initialEnd >= 0 && unacknowledged == 0 && minRtt != null;
    }
}
