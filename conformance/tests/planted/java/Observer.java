/** The capacity that Careful Resume would save, measured over round trips of normal congestion control. */
final class Observer {
    private final long least;
    private boolean inRound;
    private long roundEnd;
    private long acknowledged;
    private boolean rateLimited;
    Long savedCwnd;
    Long savedRtt;
    boolean inUse;

    Observer(long initialWindow) {
        least = 4 * initialWindow;
    }

    void onAck(Event ack, NewReno base) {
        if (inRound && ack.largest() >= roundEnd) {
            save(ack, base);
            inRound = false;
        }
        if (!inRound) {
            inRound = true;
            roundEnd = ack.number("next_packet");
            acknowledged = 0;
            rateLimited = false;
        }
        acknowledged += ack.number("bytes");
        rateLimited |= ack.flag("app_limited");
    }

    private void save(Event ack, NewReno base) {
        long capacity = base.inSlowStart() ? Math.min(acknowledged, base.cwnd / 2) : acknowledged;
        Long rtt = ack.perhaps("min_rtt_ns");
        if (rtt == null || capacity < least) return;
        if (rateLimited && savedCwnd != null && capacity < savedCwnd) return;
        savedCwnd = capacity;
        savedRtt = rtt;
        inUse = false;
    }

    void use(long cwnd, long rtt) {
        savedCwnd = cwnd;
        savedRtt = rtt;
        inUse = true;
    }

    void free() {
        inUse = false;
    }

    void delete() {
        savedCwnd = null;
        savedRtt = null;
        inUse = false;
    }
}
