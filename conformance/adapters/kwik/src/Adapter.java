import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tech.kwik.core.KwikVersion;
import tech.kwik.core.cc.CongestionControlEventListener;
import tech.kwik.core.cc.NewRenoCongestionController;
import tech.kwik.core.frame.PingFrame;
import tech.kwik.core.impl.Version;
import tech.kwik.core.log.NullLogger;
import tech.kwik.core.packet.PacketInfo;
import tech.kwik.core.packet.ShortHeaderPacket;

/**
 * The NewReno controller of Kwik behind the adapter protocol (spec/adapter-protocol.md).
 *
 * <p>The adapter calls the same function for an event as the stack's own LossDetector, in the same order. There is one
 * call per packet sent, one for all packets that an ACK frame acknowledges, largest first, and one for all lost
 * packets.
 */
public final class Adapter {
    private static final int DATAGRAM_BYTES = 1200;

    private Controller controller;
    private String refused;

    public static void main(String[] arguments) throws IOException {
        Adapter adapter = new Adapter();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(adapter.answer(JsonParser.parseString(line).getAsJsonObject()));
            System.out.flush();
        }
    }

    private JsonObject answer(JsonObject message) {
        String op = message.get("op").getAsString();
        if (!op.equals("event")) {
            refused = null;
        }
        switch (op) {
            case "hello":
                return hello();
            case "start":
                refused = start(message);
                return refused == null ? message("started") : unsupported();
            case "event":
                if (refused == null) {
                    refused = controller.process(message.getAsJsonObject("event"));
                }
                return refused == null ? controller.observed(message.get("i")) : unsupported();
            case "end":
                return message("ended");
            default:
                throw new IllegalArgumentException("unknown op " + op);
        }
    }

    private static JsonObject hello() {
        return JsonParser.parseString("{'op': 'hello', 'protocol': 1, 'name': 'Kwik NewReno', 'algorithms': {'slow-start': ['rfc-9002']},"
                + " 'observables': ['cwnd_bytes', 'ssthresh_bytes'], 'clock': 'ns', 'window': 'bytes', 'arithmetic': 'integer',"
                + " 'version': '" + KwikVersion.getVersion() + "'}").getAsJsonObject();
    }

    /** Begins a case and returns null, or the reason why the stack cannot do it. */
    private String start(JsonObject message) {
        String profile = message.get("algorithm").getAsString() + "/" + message.get("profile").getAsString();
        if (!profile.equals("slow-start/rfc-9002")) {
            return profile + " is not implemented";
        }
        JsonObject config = message.getAsJsonObject("config");
        if (config.get("max_datagram_size_bytes").getAsInt() != DATAGRAM_BYTES) {
            return "the controller assumes datagrams of " + DATAGRAM_BYTES + " bytes, and nothing changes that";
        }
        controller = new Controller();
        if (!config.get("initial_window_bytes").isJsonNull()) {
            controller.begin(config.get("initial_window_bytes").getAsLong());
        }
        return null;
    }

    private JsonObject unsupported() {
        JsonObject answer = message("unsupported");
        answer.addProperty("reason", refused);
        return answer;
    }

    private static JsonObject message(String op) {
        JsonObject message = new JsonObject();
        message.addProperty("op", op);
        return message;
    }

    /** The controller with functions for the events and observables of the adapter. */
    private static final class Controller extends NewRenoCongestionController {
        private static final Field THRESHOLD = field("slowStartThreshold");
        private static final Field RECOVERY_START = field("congestionRecoveryStartTime");

        Controller() {
            super(new NullLogger(), new Ignore());
        }

        /** A parameter for the initial window is missing. Like the constructor, the adapter only assigns this field. */
        void begin(long windowBytes) {
            congestionWindow = windowBytes;
        }

        /** Processes an event and returns null, or the reason why the stack cannot take it. */
        String process(JsonObject event) {
            Instant now = instant(event.get("t_ns").getAsLong());
            switch (event.get("ev").getAsString()) {
                case "sent":
                    packets(event, now).forEach(packet -> registerInFlight(packet.packet()));
                    return null;
                case "ack":
                    List<PacketInfo> acked = packets(event, now);
                    Collections.reverse(acked);
                    registerAcked(acked);
                    return null;
                case "lost":
                    lose(packets(event, now), now);
                    return null;
                case "pto": // The RecoveryManager tells the controller nothing.
                    return null;
                case "ce":
                    return "AckFrame.parse drops the ECN counters: the controller never learns of them";
                case "persistent_congestion":
                    return "Kwik knows no persistent congestion";
                default:
                    return "no function for the event " + event.get("ev").getAsString();
            }
        }

        /** Recovery is stamped with the wall clock, even where the LossDetector has another. The time of the case replaces the stamp. */
        private void lose(List<PacketInfo> packets, Instant now) {
            try {
                Object before = RECOVERY_START.get(this);
                registerLost(packets);
                if (RECOVERY_START.get(this) != before) {
                    RECOVERY_START.set(this, now);
                }
            } catch (IllegalAccessException error) {
                throw new AssertionError(error);
            }
        }

        JsonObject observed(JsonElement index) {
            JsonObject answer = message("observed");
            answer.add("i", index);
            number(answer, "cwnd_bytes", getWindowSize());
            try {
                number(answer, "ssthresh_bytes", THRESHOLD.getLong(this));
            } catch (IllegalAccessException error) {
                throw new AssertionError(error);
            }
            return answer;
        }

        private static void number(JsonObject answer, String name, long value) {
            if (value == Long.MAX_VALUE) {
                answer.add(name, com.google.gson.JsonNull.INSTANCE);
            } else if (value >= 1L << 53) {
                answer.addProperty(name, Long.toString(value));
            } else {
                answer.addProperty(name, value);
            }
        }

        private static Field field(String name) {
            try {
                Field field = NewRenoCongestionController.class.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException error) {
                throw new AssertionError(error);
            }
        }
    }

    /** The packets of an event in rising order. */
    private static List<PacketInfo> packets(JsonObject event, Instant now) {
        List<PacketInfo> packets = new ArrayList<>();
        for (JsonElement element : event.getAsJsonArray("packets")) {
            JsonArray run = element.getAsJsonArray();
            Instant sent = run.size() > 3 ? instant(run.get(3).getAsLong()) : now;
            for (long number = run.get(0).getAsLong(); number <= run.get(1).getAsLong(); number++) {
                packets.add(new PacketInfo(sent, new Packet(number, run.get(2).getAsInt()), lost -> { }));
            }
        }
        return packets;
    }

    private static Instant instant(long ns) {
        return Instant.ofEpochSecond(0, ns);
    }

    /** A packet with a size, without being written out. */
    private static final class Packet extends ShortHeaderPacket {
        Packet(long number, int sizeBytes) {
            super(Version.getDefault(), new byte[0], new PingFrame());
            packetNumber = number;
            packetSize = sizeBytes;
        }
    }

    /** Flow control of the sender, of no interest here. */
    private static final class Ignore implements CongestionControlEventListener {
        @Override
        public void bytesInFlightIncreased(long bytesInFlight) { }

        @Override
        public void bytesInFlightDecreased(long bytesInFlight) { }
    }
}
