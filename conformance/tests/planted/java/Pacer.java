import java.math.BigInteger;

/** The release times of the jump of Careful Resume: its packets are spread over one RTT. */
final class Pacer {
    private final long jump;
    private final long mostLateBytes;
    private long rtt;
    private long start;
    private long sent; // bytes since the start

    Pacer(long now, long rtt, long jump, long mostLateBytes) {
        this.start = now;
        this.rtt = rtt;
        this.jump = jump;
        this.mostLateBytes = mostLateBytes;
    }

    long nextRelease() {
        return start + spread(sent);
    }

    /** The transmission time of this number of bytes, rounded up. */
    private long spread(long bytes) {
        var product = BigInteger.valueOf(bytes).multiply(BigInteger.valueOf(rtt)).add(BigInteger.valueOf(jump - 1));
        return product.divide(BigInteger.valueOf(jump)).longValue();
    }

    void onSample(long sample) {
        if (sample == rtt) return;
        restart(nextRelease());
        rtt = sample;
    }

    void onSent(long now, long bytes) {
        long earliest = now - spread(mostLateBytes);
        if (nextRelease() < earliest) restart(earliest);
        sent += bytes;
    }

    private void restart(long from) {
        start = from;
        sent = 0;
    }
}
