import java.util.List;
import java.util.Map;

/** An event of the adapter protocol. */
record Event(Map<String, Object> members) {
    /** Consecutive packets of one size, sent at one time; the time is 0 in a sent event. */
    record Run(long first, long last, long size, long sentTime) {
        long packets() {
            return last - first + 1;
        }
    }

    String kind() {
        return (String) members.get("ev");
    }

    long now() {
        return number("t_ns");
    }

    long number(String name) {
        return (Long) members.get(name);
    }

    /** A number, or null if it is missing. */
    Long perhaps(String name) {
        return (Long) members.get(name);
    }

    boolean flag(String name) {
        return (Boolean) members.get(name);
    }

    List<Run> runs() {
        return rows("packets").stream().map(row -> new Run(row.get(0), row.get(1), row.get(2), row.size() > 3 ? row.get(3) : 0)).toList();
    }

    /** Ranges of packets whose data the packets of the event repeat. */
    List<Run> repeats() {
        return rows("retransmits").stream().map(row -> new Run(row.get(0), row.get(1), 0, 0)).toList();
    }

    @SuppressWarnings("unchecked")
    private List<List<Long>> rows(String name) {
        return (List<List<Long>>) members.getOrDefault(name, List.of());
    }

    long largest() {
        var runs = runs();
        return runs.get(runs.size() - 1).last();
    }
}
