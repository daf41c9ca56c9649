import java.util.Map;

/** The interface between the adapter and a controller. */
interface Controller {
    void onEvent(Event event);

    long cwnd();

    /** null: infinite. */
    Long ssthresh();

    String phase();

    /** Release time of the next packet, or null without pacing. */
    Long nextRelease();

    Map<String, Long> state();
}
