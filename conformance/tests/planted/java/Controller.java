import java.util.Map;

/** What the adapter asks of a controller. */
interface Controller {
    void onEvent(Event event);

    long cwnd();

    /** null: infinite. */
    Long ssthresh();

    String phase();

    /** When the next packet may leave; null while nothing is paced. */
    Long nextRelease();

    Map<String, Long> state();
}
