import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The toy controller judged by the vectors of RFC 9002. Run: javac -d out *.java; java -cp out NewRenoTest */
final class NewRenoTest {
    private static List<String> differences(List<String> lines, boolean appLimitedGrows) {
        return Flat.cases(lines).stream().map(one -> Flat.firstDifference(one, new NewReno(one.head(), appLimitedGrows)::onEvent))
                .filter(Objects::nonNull).toList();
    }

    private static boolean isRefused(String line) {
        try {
            Flat.event(line);
            return false;
        } catch (IllegalArgumentException error) {
            return true;
        }
    }

    private static int failed;

    private static void check(String what, boolean holds) {
        System.out.println((holds ? "ok      " : "FAILED  ") + what);
        failed += holds ? 0 : 1;
    }

    public static void main(String[] arguments) throws Exception {
        String flat = Optional.ofNullable(System.getenv("FIRSTFLIGHT_FLAT")).orElse("../../flat");
        List<String> lines = Files.readAllLines(Path.of(flat, "slow-start", "rfc-9002.ndjson"));
        List<String> none = differences(lines, false);
        check("a right controller agrees: " + none, none.isEmpty());
        String found = differences(lines, true).get(0);
        check("a mistake is found: " + found, found.matches("slow-start\\.app-limited\\..*: cwnd_bytes: expected .*"));
        String event = lines.get(2);
        check("an event is read", Flat.event(event).get("ev").equals("sent"));
        check("an unknown member is refused", isRefused(event.replace("\"t_ns\":", "\"news\":1,\"t_ns\":"))
                && isRefused(event.replace("\"phase\":", "\"news\":1,\"phase\":")));
        System.exit(failed == 0 ? 0 : 1);
    }
}
