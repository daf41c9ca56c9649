import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** RFC 9959 over NewReno. */
final class CarefulResume implements Controller {
    private enum Phase { NORMAL, RECONNAISSANCE, UNVALIDATED, VALIDATING, SAFE_RETREAT }

    private final NewReno base;
    private final Observer observer;
    private Phase phase = Phase.NORMAL;
    private boolean used;
    private Event saved; // offered by the endpoint
    private Reconnaissance reconnaissance;
    private Pacer pacer;
    private long flight;
    private long waiting; // data that is ready to be sent
    private Long latestRtt;
    private long highestSent = -1;
    private long highestAcked = -1;
    private long enteredAt;
    private Long jump;
    private Long pipeSize;
    private Long firstUnvalidated;
    private Long lastUnvalidated;

    CarefulResume(long datagram, Long initialWindow) {
        base = new NewReno(datagram, initialWindow, true);
        observer = new Observer(base.initialWindow);
    }

    @Override
    public void onEvent(Event event) {
        if (event.perhaps("bytes_in_flight") != null) flight = event.number("bytes_in_flight");
        if (event.kind().equals("ack") && event.perhaps("latest_rtt_ns") != null) latestRtt = event.perhaps("latest_rtt_ns");
        switch (event.kind()) {
            case "saved_path" -> onSavedPath(event);
            case "sent" -> onSent(event);
            case "backlog" -> onBacklog(event);
            case "ack" -> onAck(event);
            case "lost", "ce" -> onCongestion(event);
            case "persistent_congestion" -> onPersistentCongestion();
            case "path_change" -> onPathChange(event);
            default -> onTime(event);
        }
    }

    private void onSavedPath(Event offer) {
        if (phase == Phase.NORMAL && !used && usable(offer)) {
            used = true;
            saved = offer;
            observer.use(offer.number("saved_cwnd_bytes"), offer.number("saved_rtt_ns"));
            reconnaissance = new Reconnaissance(offer);
            phase = Phase.RECONNAISSANCE;
            return;
        }
        onTime(offer);
    }

    private static boolean usable(Event offer) {
        return offer.number("saved_cwnd_bytes") > 0 && offer.number("saved_rtt_ns") > 0 && !offer.flag("in_use")
                && offer.flag("endpoint_matches") && !expired(offer, offer.now());
    }

    private static boolean expired(Event offer, long now) {
        Long expires = offer.perhaps("expires_t_ns");
        return expires != null && now > expires;
    }

    private void onSent(Event sent) {
        highestSent = sent.largest();
        waiting = sent.flag("app_limited") ? 0 : Math.max(waiting - sent.number("bytes"), 0);
        if (phase == Phase.RECONNAISSANCE) reconnaissance.onSent(sent);
        if (phase == Phase.UNVALIDATED) {
            if (firstUnvalidated == null) firstUnvalidated = sent.runs().get(0).first();
            lastUnvalidated = highestSent;
            pacer.onSent(sent.now(), sent.number("bytes"));
            if (flight + base.datagram > base.cwnd) {
                endUnvalidated();
                return;
            }
        }
        onTime(sent);
    }

    private void onBacklog(Event backlog) {
        waiting = Math.min(backlog.number("queued_bytes"), backlog.number("receive_window_bytes"));
        onTime(backlog);
    }

    /** Decisions that depend only on the time of the event. */
    private void onTime(Event event) {
        if (phase == Phase.RECONNAISSANCE) {
            reconnoitre(event);
        } else if (phase == Phase.UNVALIDATED && latestRtt != null && event.now() - enteredAt > latestRtt) {
            endUnvalidated();
        }
    }

    private void reconnoitre(Event event) {
        if (expired(saved, event.now())) {
            observer.delete();
            phase = Phase.NORMAL;
        } else if (reconnaissance.confirmed() && waiting > base.cwnd - flight) {
            jump(event.now());
        }
    }

    private void jump(long now) {
        long half = saved.number("saved_cwnd_bytes") / 2;
        Long most = saved.perhaps("max_jump_bytes");
        long window = most == null ? half : Math.min(half, most);
        if (window <= base.cwnd) {
            end();
            return;
        }
        jump = window;
        base.cwnd = window;
        pipeSize = flight;
        enteredAt = now;
        pacer = new Pacer(now, latestRtt, window, base.initialWindow - base.datagram);
        phase = Phase.UNVALIDATED;
    }

    private void onAck(Event ack) {
        long window = base.cwnd;
        base.onAck(ack);
        highestAcked = Math.max(highestAcked, ack.largest());
        if (pipeSize != null && phase != Phase.NORMAL) pipeSize += ack.number("bytes");
        switch (phase) {
            case NORMAL -> observer.onAck(ack, base);
            case RECONNAISSANCE -> {
                reconnaissance.onAck(ack);
                if (reconnaissance.fits()) onTime(ack);
                else end();
            }
            case UNVALIDATED -> {
                base.cwnd = window;
                onUnvalidatedAck(ack);
            }
            case VALIDATING -> {
                if (lastUnvalidated != null && highestAcked >= lastUnvalidated) end();
            }
            case SAFE_RETREAT -> {
                base.cwnd = window;
                if (highestAcked >= lastUnvalidated) {
                    boundThreshold();
                    end();
                }
            }
        }
    }

    private void onUnvalidatedAck(Event ack) {
        Long sample = ack.perhaps("latest_rtt_ns");
        if (sample != null && !Reconnaissance.fits(sample, sample, saved)) {
            retreat(ack.now());
            return;
        }
        if (sample != null) pacer.onSample(sample);
        if (firstUnvalidated != null && highestAcked >= firstUnvalidated) endUnvalidated();
        else onTime(ack);
    }

    private void endUnvalidated() {
        pacer = null;
        if (flight < base.initialWindow || flight <= pipeSize) {
            base.cwnd = Math.max(pipeSize, base.initialWindow);
            end();
            return;
        }
        base.cwnd = flight;
        phase = Phase.VALIDATING;
    }

    private void onCongestion(Event event) {
        switch (phase) {
            case NORMAL -> reduce(event);
            case RECONNAISSANCE -> {
                reduce(event);
                end();
            }
            case UNVALIDATED, VALIDATING -> retreat(event.now());
            case SAFE_RETREAT -> { }
        }
    }

    private void reduce(Event event) {
        if (event.kind().equals("lost")) base.onLost(event);
        else base.onCongestion(event.number("sent_t_ns"), event.now());
    }

    private void retreat(long now) {
        observer.delete();
        pacer = null;
        base.cwnd = Math.max(pipeSize / 2, base.minimumWindow());
        base.beginRecovery(now);
        if (lastUnvalidated == null) lastUnvalidated = highestSent;
        phase = Phase.SAFE_RETREAT;
    }

    private void boundThreshold() {
        long bound = BigInteger.valueOf(pipeSize).multiply(BigInteger.valueOf(saved.number("beta_numerator")))
                .divide(BigInteger.valueOf(saved.number("beta_denominator"))).longValue();
        base.ssthresh = base.ssthresh == null ? bound : Math.min(base.ssthresh, bound);
    }

    private void onPersistentCongestion() {
        base.onPersistentCongestion();
        if (phase == Phase.SAFE_RETREAT) boundThreshold();
        if (phase != Phase.NORMAL) end();
    }

    private void onPathChange(Event event) {
        if (phase == Phase.RECONNAISSANCE) end();
        else if (phase == Phase.UNVALIDATED) retreat(event.now());
    }

    private void end() {
        observer.free();
        pacer = null;
        phase = Phase.NORMAL;
    }

    @Override
    public long cwnd() {
        return base.cwnd;
    }

    @Override
    public Long ssthresh() {
        return base.ssthresh;
    }

    @Override
    public String phase() {
        return phase.name().toLowerCase();
    }

    @Override
    public Long nextRelease() {
        return pacer == null ? null : pacer.nextRelease();
    }

    @Override
    public Map<String, Long> state() {
        var state = new HashMap<String, Long>();
        state.put("pipesize_bytes", pipeSize);
        state.put("jump_bytes", jump);
        state.put("first_unvalidated_packet", firstUnvalidated);
        state.put("last_unvalidated_packet", lastUnvalidated);
        state.put("saved_cwnd_bytes", observer.savedCwnd);
        state.put("saved_rtt_ns", observer.savedRtt);
        state.put("saved_in_use", observer.savedCwnd == null ? null : observer.inUse ? 1L : 0L);
        state.put("bin", null);
        state.put("open_bin_bytes", null);
        return state;
    }
}
