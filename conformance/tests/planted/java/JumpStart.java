import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** JumpStart (PFLDnet 2007, section II) over NewReno. */
final class JumpStart implements Controller {
    private static final long MAX_FLIGHT = (1L << 29) - 1;
    private final NewReno base;
    private boolean jumping;
    private boolean spent;
    private long start;
    private long rtt;
    private long planned; // packets spread over the RTT
    private long last; // packets that the receive window still allows
    private long sent;
    private Long firstPacket;
    private long nextPacket;
    private long recoveryEnd;
    private long repeated;
    private boolean flightLost;
    private boolean accounted;

    JumpStart(long datagram, Long initialWindow) {
        base = new NewReno(datagram, initialWindow, false);
    }

    @Override
    public void onEvent(Event event) {
        switch (event.kind()) {
            case "backlog" -> onBacklog(event);
            case "sent" -> onSent(event);
            case "ack" -> onAck(event);
            case "lost" -> {
                long latest = event.runs().stream().mapToLong(Event.Run::sentTime).max().orElseThrow();
                for (var run : event.runs()) onLoss(run.first(), run.last(), latest, event.now());
            }
            case "ce" -> onLoss(event.number("packet"), event.number("packet"), event.number("sent_t_ns"), event.now());
            case "persistent_congestion" -> onTimeout();
            default -> { }
        }
    }

    private void onBacklog(Event backlog) {
        long allowed = backlog.number("receive_window_bytes") / base.datagram;
        if (jumping) {
            shrink(allowed);
            return;
        }
        Long sample = backlog.perhaps("latest_rtt_ns");
        if (spent || base.inRecovery || sample == null) return;
        long queued = backlog.number("queued_bytes");
        long wanted = queued / base.datagram + (queued % base.datagram > 0 ? 1 : 0);
        long packets = Math.min(wanted, allowed);
        if (packets == 0) return;
        if (packets > MAX_FLIGHT / base.datagram) packets = MAX_FLIGHT / base.datagram + 1;
        jumping = true;
        spent = true;
        start = backlog.now();
        rtt = sample;
        planned = packets;
        last = packets;
        base.cwnd = Math.min(packets * base.datagram, MAX_FLIGHT);
    }

    private void shrink(long allowed) {
        last = Math.min(last, sent + allowed);
        if (sent == last) jumping = false;
    }

    private void onSent(Event event) {
        if (jumping) {
            for (var run : event.runs()) {
                if (firstPacket == null) firstPacket = run.first();
                sent = Math.min(sent + run.packets(), last);
            }
            if (sent == last) jumping = false;
        }
        nextPacket = event.largest() + 1;
        if (base.inRecovery) event.repeats().forEach(this::repeat);
    }

    private void repeat(Event.Run run) {
        for (long packet = run.first(); packet <= run.last(); packet++) {
            if (ofFlight(packet)) repeated++;
        }
    }

    private boolean ofFlight(long packet) {
        return firstPacket != null && packet >= firstPacket && packet < firstPacket + sent;
    }

    private boolean touchesFlight(long first, long last) {
        return firstPacket != null && last >= firstPacket && first < firstPacket + sent;
    }

    private void onAck(Event ack) {
        if (jumping && ack.runs().stream().anyMatch(run -> touchesFlight(run.first(), run.last()))) jumping = false;
        if (!base.inRecovery) {
            base.onAck(ack);
            return;
        }
        Long oldest = ack.perhaps("oldest_unacked_packet");
        boolean ends = oldest != null ? oldest >= recoveryEnd : ack.runs().stream().anyMatch(run -> !base.sentBeforeRecovery(run.sentTime()));
        if (!ends) return;
        base.inRecovery = false;
        if (flightLost && !accounted) account();
        else base.onAck(ack);
    }

    private void account() {
        accounted = true;
        long half = Math.max(sent - repeated, 0) / 2;
        base.cwnd = Math.min(Math.max(half, 1) * base.datagram, base.cwnd);
        base.ssthresh = Math.max(base.cwnd, base.minimumWindow());
    }

    private void onLoss(long first, long last, long sentTime, long now) {
        if (!base.inRecovery && base.sentBeforeRecovery(sentTime)) return;
        if (!base.inRecovery) {
            jumping = false;
            base.beginRecovery(now);
            base.cwnd = Math.max(base.cwnd / 2, base.minimumWindow());
            base.ssthresh = base.cwnd;
            recoveryEnd = nextPacket;
            repeated = 0;
            flightLost = false;
        }
        flightLost |= touchesFlight(first, last);
    }

    private void onTimeout() {
        jumping = false;
        accounted = true;
        base.onPersistentCongestion();
        base.cwnd = base.datagram;
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
        return jumping ? "jump" : base.phase();
    }

    @Override
    public Long nextRelease() {
        if (!jumping) return null;
        var offset = BigInteger.valueOf(sent).multiply(BigInteger.valueOf(rtt)).divide(BigInteger.valueOf(planned));
        return start + offset.longValue();
    }

    @Override
    public Map<String, Long> state() {
        var state = new HashMap<String, Long>();
        state.put("planned_packets", planned);
        state.put("sent_packets", sent);
        state.put("repeated_packets", repeated);
        state.put("acked_bytes", 0L);
        state.put("recovery_start_ns", base.recoveryStart);
        return state;
    }
}
