import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The toy controller judged by the vectors of RFC 9002, with JUnit 5. */
final class NewRenoTest {
    private static List<String> lines;

    @BeforeAll
    static void read() throws IOException {
        String flat = Optional.ofNullable(System.getenv("FIRSTFLIGHT_FLAT")).orElse("../../flat");
        lines = Files.readAllLines(Path.of(flat, "slow-start", "rfc-9002.ndjson"));
    }

    private static List<String> differences(boolean appLimitedGrows) {
        return Flat.cases(lines).stream().map(one -> Flat.firstDifference(one, new NewReno(one.head(), appLimitedGrows)::onEvent))
                .filter(Objects::nonNull).toList();
    }

    @Test
    void aRightControllerAgrees() {
        assertEquals(List.of(), differences(false));
    }

    @Test
    void aMistakeIsFound() {
        String found = differences(true).get(0);
        assertTrue(found.matches("slow-start\\.app-limited\\..*: cwnd_bytes: expected .*"), found);
    }

    @Test
    void anUnknownMemberIsRefused() {
        String event = lines.get(2);
        assertEquals("sent", Flat.event(event).get("ev"));
        for (String member : List.of("\"t_ns\":", "\"phase\":")) {
            String other = event.replace(member, "\"news\":1," + member);
            assertThrows(IllegalArgumentException.class, () -> Flat.event(other));
        }
    }
}
