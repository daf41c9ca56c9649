import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.junit.jupiter.api.Test;

/** The toy controller judged by the vectors of RFC 9002, the loader by broken files, with JUnit 5. */
final class NewRenoTest {
    private static Path folder(String variable, String beside) {
        return Path.of(Optional.ofNullable(System.getenv(variable)).orElse(beside));
    }

    private static List<String> differences(Path path, boolean appLimitedGrows) throws IOException {
        return Flat.cases(Files.readAllBytes(path)).stream()
                .map(one -> Flat.firstDifference(one, new NewReno(one.head(), appLimitedGrows)::onEvent)).filter(Objects::nonNull).toList();
    }

    private static Path profile() {
        return folder("FIRSTFLIGHT_FLAT", "../../flat").resolve("slow-start/rfc-9002.ndjson");
    }

    private static String verdict(Path path) throws IOException {
        try {
            return differences(path, false).isEmpty() ? "agrees" : "differs";
        } catch (IllegalArgumentException refused) {
            return "refused";
        }
    }

    @Test
    void aRightControllerAgrees() throws IOException {
        assertEquals(List.of(), differences(profile(), false));
    }

    @Test
    void aMistakeIsFound() throws IOException {
        String found = differences(profile(), true).get(0);
        assertTrue(found.matches("slow-start\\.app-limited\\..*: cwnd_bytes: expected .*"), found);
    }

    @Test
    void brokenFiles() throws IOException {
        Path broken = folder("FIRSTFLIGHT_BROKEN", "../broken");
        var wanted = Files.readAllLines(broken.resolve("verdicts.tsv"));
        for (String line : wanted) {
            String name = line.split("\t")[0];
            assertEquals(line, name + "\t" + verdict(broken.resolve(name)));
        }
        System.out.println("broken files: " + wanted.size() + " of " + wanted.size() + " as the list says");
    }
}
