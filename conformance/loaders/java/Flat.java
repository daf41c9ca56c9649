import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Reads the flat form of one profile, drives a controller with it and reports the first difference. To be copied; Java 17, no libraries.
 * Strict: a line whose members are not exactly those of pages/flat-format.md is refused. Objects are maps, numbers are Long, without a
 * sign: compare them with Long.compareUnsigned where bits is 64.
 */
final class Flat {
    private static final String CASE = "line case max_datagram_size_bytes initial_window_bytes events granularity bits flags"
            + " tier level clauses ours title why";
    private static final Map<String, String> EVENTS = Map.ofEntries(
            Map.entry("sent", " packets bytes bytes_in_flight app_limited retransmits"),
            Map.entry("ack", " packets bytes bytes_in_flight next_packet app_limited latest_rtt_ns min_rtt_ns smoothed_rtt_ns"
                    + " ack_delay_ns oldest_unacked_packet"),
            Map.entry("lost", " packets bytes bytes_in_flight next_packet"),
            Map.entry("ce", " packet sent_t_ns ce_count"),
            Map.entry("backlog", " queued_bytes receive_window_bytes latest_rtt_ns"),
            Map.entry("saved_path", " saved_cwnd_bytes saved_rtt_ns endpoint_matches in_use expires_t_ns max_jump_bytes"
                    + " beta_numerator beta_denominator"),
            Map.entry("persistent_congestion", ""), Map.entry("pto", ""), Map.entry("path_change", ""),
            Map.entry("spurious_loss", ""), Map.entry("idle_restart", ""));

    /** A case with its events, each the members of its line. */
    record Case(Map<String, Object> head, List<Map<String, Object>> events) {}

    /** Read the object of a line. */
    static Map<String, Object> parse(String text) {
        var flat = new Flat(text);
        var object = map(flat.value());
        require(flat.at == text.length(), "more than a line: " + text);
        return object;
    }

    /** Read all cases of a file. */
    static List<Case> cases(List<String> lines) {
        var next = lines.iterator();
        var header = members(parse(next.next()), "line format version algorithm profile observables state cases");
        require(header.get("format").equals(1L), "is of another format");
        var cases = new ArrayList<Case>();
        while (next.hasNext()) {
            var one = new Case(members(parse(next.next()), CASE), new ArrayList<>());
            for (long left = (Long) one.head().get("events"); left > 0; left--) one.events().add(event(next.next()));
            cases.add(one);
        }
        require(header.get("cases").equals((long) cases.size()), "other cases than the header says");
        return cases;
    }

    /** Read an event, with what is expected after it. */
    static Map<String, Object> event(String text) {
        var event = parse(text);
        require(EVENTS.containsKey(String.valueOf(event.get("ev"))), "unknown event: " + text);
        members(event, "line i ev t_ns" + EVENTS.get(event.get("ev")) + " expect allowed");
        members(map(event.get("expect")), "cwnd_bytes ssthresh_bytes phase outcome next_release_ns trigger state");
        return event;
    }

    /** Return where a controller departs from a case, null if it does not. It answers with the observables to compare, by name. */
    static String firstDifference(Case one, Function<Map<String, Object>, Map<String, Object>> controller) {
        for (var event : one.events()) {
            for (var observed : controller.apply(event).entrySet()) {
                Object expected = map(event.get("expect")).get(observed.getKey());
                var allowed = (List<?>) map(event.get("allowed")).getOrDefault(observed.getKey(), List.of());
                if (!Objects.equals(observed.getValue(), expected) && !allowed.contains(observed.getValue())) {
                    return "%s, event %s (%s at %s ns): %s: expected %s, observed %s".formatted(one.head().get("case"), event.get("i"),
                            event.get("ev"), event.get("t_ns"), observed.getKey(), expected, observed.getValue());
                }
            }
        }
        return null;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static Map<String, Object> members(Map<String, Object> object, String names) {
        require(List.copyOf(object.keySet()).equals(List.of(names.split(" "))), object.keySet() + " instead of " + names);
        return object;
    }

    private static void require(boolean holds, String message) {
        if (!holds) throw new IllegalArgumentException(message);
    }

    private final String text;
    private int at;

    private Flat(String text) {
        this.text = text;
    }

    private boolean take(String token) {
        boolean there = text.startsWith(token, at);
        if (there) at += token.length();
        return there;
    }

    /** Take a comma or colon and the blanks behind it, which messages of the adapter protocol may have. */
    private boolean separator(String token) {
        boolean there = take(token);
        while (there && take(" ")) continue;
        return there;
    }

    private Object value() {
        if (take("null")) return null;
        if (take("true")) return true;
        if (take("false")) return false;
        if (take("\"")) return textToQuote();
        if (take("[")) {
            var items = new ArrayList<Object>();
            while (!take("]")) {
                require(items.isEmpty() || separator(","), "a comma is needed at " + at + ": " + text);
                items.add(value());
            }
            return items;
        }
        if (take("{")) {
            var members = new LinkedHashMap<String, Object>();
            while (!take("}")) {
                require((members.isEmpty() || separator(",")) && take("\""), "a name is needed at " + at + ": " + text);
                String name = textToQuote();
                require(separator(":") && !members.containsKey(name), "a colon or another name is needed at " + at + ": " + text);
                members.put(name, value());
            }
            return members;
        }
        int from = at;
        while (at < text.length() && Character.isDigit(text.charAt(at))) at++;
        require(at > from, "a value is needed at " + at + ": " + text);
        return Long.parseUnsignedLong(text, from, at, 10);
    }

    private String textToQuote() {
        var found = new StringBuilder();
        for (; !take("\""); found.append(text.charAt(at++))) {
            take("\\"); // only \" and \\ occur
            require(at < text.length(), "the text does not end: " + text);
        }
        return found.toString();
    }
}
