import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.stream.Collectors;

/** Careful Resume and JumpStart behind the adapter protocol: firstflight run --adapter "java -cp out Adapter" */
final class Adapter {
    private static final String HELLO = "{\"op\":\"hello\",\"protocol\":1,\"name\":\"Careful Resume and JumpStart in Java\","
            + "\"version\":\"1\",\"algorithms\":{\"careful-resume\":[\"rfc-9959\"],\"jumpstart\":[\"pfldnet-2007\"]},"
            + "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\",\"phase\",\"next_release_ns\",\"state\"]}";
    private static Controller controller;

    private static String answer(Map<String, Object> message) {
        switch ((String) message.get("op")) {
            case "hello":
                return HELLO;
            case "start":
                controller = create(message.get("algorithm") + "/" + message.get("profile"), Flat.map(message.get("config")));
                boolean known = controller != null;
                return known ? "{\"op\":\"started\"}" : "{\"op\":\"unsupported\",\"reason\":\"neither Careful Resume nor JumpStart\"}";
            case "event":
                controller.onEvent(new Event(Flat.map(message.get("event"))));
                return "{\"op\":\"observed\",\"i\":" + message.get("i") + observed() + "}";
            default:
                return "{\"op\":\"ended\"}";
        }
    }

    private static Controller create(String profile, Map<String, Object> config) {
        long datagram = (Long) config.get("max_datagram_size_bytes");
        Long initialWindow = (Long) config.get("initial_window_bytes");
        return switch (profile) {
            case "careful-resume/rfc-9959" -> new CarefulResume(datagram, initialWindow);
            case "jumpstart/pfldnet-2007" -> new JumpStart(datagram, initialWindow);
            default -> null;
        };
    }

    private static String observed() {
        String state = controller.state().entrySet().stream()
                .map(one -> "\"" + one.getKey() + "\":" + encode(one.getValue())).collect(Collectors.joining(","));
        return ",\"cwnd_bytes\":" + encode(controller.cwnd()) + ",\"ssthresh_bytes\":" + encode(controller.ssthresh())
                + ",\"phase\":\"" + controller.phase() + "\",\"next_release_ns\":" + encode(controller.nextRelease())
                + ",\"state\":{" + state + "}";
    }

    /** Numbers from 2^53 on are decimal strings. */
    private static String encode(Long number) {
        return number == null ? "null" : number < 1L << 53 ? number.toString() : "\"" + number + "\"";
    }

    private static String decode(String line) {
        return line.replaceAll("\"([0-9]{16,20})\"", "$1");
    }

    public static void main(String[] arguments) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            System.out.println(answer(Flat.parse(decode(line))));
        }
    }
}
