import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A toy controller in the place of yours: RFC 9002, section 7 and appendix B. The mistake is planted for the test. */
final class NewReno {
    private long datagram;
    private final Mistake mistake;
    private long cwnd;
    private final Optional<Long> configured;
    private long pathStart;
    private Long ssthresh; // null: infinite
    private long recoveryStart;
    private boolean inRecovery;

    enum Mistake { NONE, APP_LIMITED_GROWS, STAYS_IN_RECOVERY }

    NewReno(Map<String, Object> config, Mistake mistake) {
        datagram = (Long) config.get("max_datagram_size_bytes");
        configured = Optional.ofNullable((Long) config.get("initial_window_bytes"));
        cwnd = configured.orElse(initialWindow());
        this.mistake = mistake;
    }

    Map<String, Object> onEvent(Map<String, Object> event) {
        long now = (Long) event.get("t_ns");
        switch ((String) event.get("ev")) {
            case "ack" -> {
                if (Boolean.TRUE.equals(event.get("not_in_flight"))) break;
                for (var run : runs(event)) {
                    if (run.get(3) > recoveryStart && mistake != Mistake.STAYS_IN_RECOVERY) inRecovery = false;
                    if (mistake != Mistake.APP_LIMITED_GROWS && event.get("app_limited").equals(true)) continue;
                    for (long packet = run.get(0); packet <= run.get(1); packet++) onPacketAcked(run.get(2), run.get(3));
                }
            }
            case "lost" -> {
                if (Boolean.TRUE.equals(event.get("pmtu_probe"))) break; // ignore lost PMTU probes
                onCongestion(runs(event).stream().mapToLong(run -> run.get(3)).max().orElseThrow(), now);
            }
            case "ce" -> onCongestion((Long) event.get("sent_t_ns"), now);
            case "persistent_congestion" -> {
                cwnd = 2 * datagram;
                recoveryStart = 0;
                inRecovery = false;
            }
            case "path_change" -> {
                cwnd = configured.orElse(initialWindow());
                ssthresh = null;
                recoveryStart = 0;
                inRecovery = false;
                pathStart = now;
            }
            case "datagram_size" -> {
                boolean smaller = (Long) event.get("max_datagram_size_bytes") < datagram;
                datagram = (Long) event.get("max_datagram_size_bytes");
                if (smaller && event.get("handshake").equals(true)) cwnd = Math.min(cwnd, initialWindow());
            }
            default -> { }
        }
        var observed = new LinkedHashMap<String, Object>();
        observed.put("cwnd_bytes", cwnd);
        observed.put("ssthresh_bytes", ssthresh);
        observed.put("phase", inRecovery ? "recovery" : isInSlowStart() ? "slow_start" : "congestion_avoidance");
        observed.put("recovery_start_ns", recoveryStart == 0 ? null : recoveryStart);
        return observed;
    }

    private long initialWindow() {
        return Math.min(10 * datagram, Math.max(14720, 2 * datagram));
    }

    private boolean isInSlowStart() {
        return ssthresh == null || cwnd < ssthresh;
    }

    private boolean isOld(long sent) {
        return sent <= Math.max(recoveryStart, pathStart);
    }

    private void onPacketAcked(long size, long sent) {
        if (isOld(sent)) return;
        cwnd = Math.min(cwnd + (isInSlowStart() ? size : datagram * size / cwnd), (1L << 62) - 1);
    }

    private void onCongestion(long sent, long now) {
        if (isOld(sent)) return;
        recoveryStart = now;
        inRecovery = true;
        ssthresh = cwnd / 2;
        cwnd = Math.max(ssthresh, 2 * datagram);
    }

    @SuppressWarnings("unchecked")
    private static List<List<Long>> runs(Map<String, Object> event) {
        return (List<List<Long>>) event.get("packets");
    }
}
