import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The toy controller judged by the vectors of RFC 9002, the loader by broken files, with JUnit 5. */
final class NewRenoTest {
    private static Path folder(String variable, String beside) {
        return Path.of(Optional.ofNullable(System.getenv(variable)).orElse(beside));
    }

    /** A controller, begun anew for each case. */
    private interface Begin extends Function<Map<String, Object>, Function<Map<String, Object>, Map<String, Object>>> {}

    private static Begin toy(NewReno.Mistake mistake) {
        return config -> new NewReno(config, mistake)::onEvent;
    }

    /** The controller whose answers to the events of a profile are a file's lines, one for each event: window, threshold and phase. */
    private static Begin recorded(Path path) throws IOException {
        var rows = Files.readAllLines(path).iterator();
        return config -> event -> {
            var row = rows.next().split(" ");
            var observed = new LinkedHashMap<String, Object>();
            observed.put("cwnd_bytes", Long.parseUnsignedLong(row[0]));
            observed.put("ssthresh_bytes", row[1].equals("null") ? null : Long.parseUnsignedLong(row[1]));
            observed.put("phase", row[2]);
            return observed;
        };
    }

    private static List<String> differences(Path path, Begin begin) throws IOException {
        return Flat.cases(Files.readAllBytes(path)).stream().map(one -> {
            var controller = begin.apply(one.head());
            var observed = one.events().stream().map(controller).iterator();
            String found = Flat.firstDifference(one, event -> observed.next());
            observed.forEachRemaining(unread -> { });
            return found;
        }).filter(Objects::nonNull).toList();
    }

    private static Path profile() {
        return folder("FIRSTFLIGHT_FLAT", "../../flat").resolve("slow-start/rfc-9002.ndjson");
    }

    private static String verdict(Path path, Begin begin) throws IOException {
        try {
            var found = differences(path, begin);
            return found.isEmpty() ? "agrees" : found.stream().allMatch(one -> one.startsWith("not decided: ")) ? "open" : "differs";
        } catch (IllegalArgumentException refused) {
            return "refused";
        }
    }

    @Test
    void aRightControllerAgrees() throws IOException {
        assertEquals(List.of(), differences(profile(), toy(NewReno.Mistake.NONE)));
    }

    @Test
    void aMistakeIsFound() throws IOException {
        String found = differences(profile(), toy(NewReno.Mistake.APP_LIMITED_GROWS)).stream()
            .filter(text -> !text.startsWith("not decided: ")).findFirst().orElseThrow();
        assertTrue(found.matches("slow-start\\..*: cwnd_bytes: expected .*"), found);
    }

    @Test
    void aWrongPhaseIsFound() throws IOException {
        String found = differences(profile(), toy(NewReno.Mistake.STAYS_IN_RECOVERY)).get(0);
        assertTrue(found.matches(".*: phase: expected \\S+, observed recovery"), found);
    }

    @Test
    @EnabledIfEnvironmentVariable(named = "FIRSTFLIGHT_ANSWERS", matches = ".+")
    void answersOfOtherControllers() throws IOException {
        Path answers = Path.of(System.getenv("FIRSTFLIGHT_ANSWERS"));
        for (String line : Files.readAllLines(answers.resolve("verdicts.tsv"))) {
            var row = line.split("\t");
            Path profile = folder("FIRSTFLIGHT_FLAT", "../../flat").resolve(row[0] + ".ndjson");
            assertEquals(row[2], verdict(profile, recorded(answers.resolve(row[1]))), line);
        }
    }

    @Test
    void brokenFiles() throws IOException {
        Path broken = folder("FIRSTFLIGHT_BROKEN", "../broken");
        var wanted = Files.readAllLines(broken.resolve("verdicts.tsv"));
        for (String line : wanted) {
            String name = line.split("\t")[0];
            assertEquals(line, name + "\t" + verdict(broken.resolve(name), toy(NewReno.Mistake.NONE)));
        }
        System.out.println("broken files: " + wanted.size() + " of " + wanted.size() + " as the list says");
    }
}
