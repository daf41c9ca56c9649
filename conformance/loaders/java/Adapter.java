import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The toy controller behind the adapter protocol: firstflight run --adapter "java -cp out Adapter" --algorithm slow-start */
final class Adapter {
    private static final String HELLO = "{\"op\":\"hello\",\"protocol\":1,\"name\":\"toy in Java\",\"version\":\"1\","
            + "\"algorithms\":{\"slow-start\":[\"rfc-9002\"]},\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"]}";
    private static NewReno controller;

    private static String answer(Map<String, Object> message) {
        switch ((String) message.get("op")) {
            case "hello":
                return HELLO;
            case "start":
                if (!message.get("algorithm").equals("slow-start") || !message.get("profile").equals("rfc-9002")) {
                    return "{\"op\":\"unsupported\",\"reason\":\"only slow-start/rfc-9002\"}";
                }
                controller = new NewReno(Flat.map(message.get("config")), NewReno.Mistake.NONE);
                return "{\"op\":\"started\"}";
            case "event":
                String observed = controller.onEvent(Flat.map(message.get("event"))).entrySet().stream().limit(2)
                        .map(one -> ",\"" + one.getKey() + "\":" + encode(one.getValue())).collect(Collectors.joining());
                return "{\"op\":\"observed\",\"i\":" + message.get("i") + observed + "}";
            default:
                return "{\"op\":\"ended\"}";
        }
    }

    /** Numbers from 2^53 on are decimal strings. */
    private static String encode(Object number) {
        boolean large = number != null && (Long) number >= 1L << 53;
        return large ? "\"" + number + "\"" : Objects.toString(number);
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
