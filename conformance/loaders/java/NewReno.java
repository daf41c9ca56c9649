import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A toy controller in the place of yours: RFC 9002, section 7 and appendix B. appLimitedGrows is a mistake, planted for the test. */
final class NewReno {
    private final long datagram;
    private final boolean appLimitedGrows;
    private long cwnd;
    private Long ssthresh; // null: infinite
    private long recoveryStart;

    NewReno(Map<String, Object> config, boolean appLimitedGrows) {
        datagram = (Long) config.get("max_datagram_size_bytes");
        long recommended = Math.min(10 * datagram, Math.max(14720, 2 * datagram));
        cwnd = Optional.ofNullable((Long) config.get("initial_window_bytes")).orElse(recommended);
        this.appLimitedGrows = appLimitedGrows;
    }

    Map<String, Object> onEvent(Map<String, Object> event) {
        long now = (Long) event.get("t_ns");
        switch ((String) event.get("ev")) {
            case "ack" -> {
                if (appLimitedGrows || event.get("app_limited").equals(false)) {
                    for (var run : runs(event)) {
                        for (long packet = run.get(0); packet <= run.get(1); packet++) onPacketAcked(run.get(2), run.get(3));
                    }
                }
            }
            case "lost" -> onCongestion(runs(event).stream().mapToLong(run -> run.get(3)).max().orElseThrow(), now);
            case "ce" -> onCongestion((Long) event.get("sent_t_ns"), now);
            case "persistent_congestion" -> {
                cwnd = 2 * datagram;
                recoveryStart = 0;
            }
            default -> { }
        }
        var observed = new HashMap<String, Object>();
        observed.put("cwnd_bytes", cwnd);
        observed.put("ssthresh_bytes", ssthresh);
        return observed;
    }

    private void onPacketAcked(long size, long sent) {
        if (sent <= recoveryStart) return;
        boolean slowStart = ssthresh == null || cwnd < ssthresh;
        cwnd = Math.min(cwnd + (slowStart ? size : datagram * size / cwnd), (1L << 62) - 1);
    }

    private void onCongestion(long sent, long now) {
        if (sent <= recoveryStart) return;
        recoveryStart = now;
        ssthresh = cwnd / 2;
        cwnd = Math.max(ssthresh, 2 * datagram);
    }

    @SuppressWarnings("unchecked")
    private static List<List<Long>> runs(Map<String, Object> event) {
        return (List<List<Long>>) event.get("packets");
    }
}
