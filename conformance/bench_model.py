"""Events per second of the Python model and the simulator, relative to a fixed Python loop on the same machine."""

from dataclasses import replace
from time import perf_counter_ns, process_time_ns

from firstflight import Config, create
from firstflight_conformance.paths import NETWORKS, SCENARIOS
from firstflight_conformance.replay.measure import replay
from firstflight_conformance.simulate import presets
from firstflight_conformance.simulate.completion import complete
from firstflight_conformance.simulate.dumbbell import run_network
from firstflight_conformance.simulate.loop import simulate
from firstflight_conformance.simulate.network import load_network
from firstflight_conformance.simulate.scenario import load_scenario

ROUNDS = 5


def best_ns(action: object) -> int:
    """Return the shortest time of several runs: the least disturbed one."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter_ns()
        action()  # type: ignore[operator]
        times.append(perf_counter_ns() - start)
    return min(times)


def main() -> None:
    """Print events per second, and the cost of an event in turns of an empty loop."""
    loop_ns = best_ns(lambda: [None for _ in range(1_000_000)]) // 1000
    scenario = load_scenario(SCENARIOS / "long-path.json")
    for algorithm, profile in (
        ("slow-start", "rfc-9002"),
        ("search", "lanman-2024"),
        ("search", "lanman-2024-literal"),
    ):
        events = list(simulate(scenario, create(algorithm, profile, scenario.config)).events)
        config = Config(scenario.config.max_datagram_size_bytes, scenario.config.initial_window_bytes)
        taken_ns = best_ns(lambda a=algorithm, p=profile, c=config, e=events: replay(create(a, p, c), e))
        per_second = len(events) * 1_000_000_000 // taken_ns
        print(
            f"{algorithm}/{profile}: {per_second} events/s, {taken_ns * 1000 // len(events) // loop_ns} loop turns/event"
        )
    for algorithm in presets.algorithms("grigore-2025"):
        began_ns = process_time_ns()
        result = complete(presets.experiment("grigore-2025", algorithm, 1000, 25, 10_000_000))
        taken_ns = process_time_ns() - began_ns
        show(f"preset grigore-2025, {algorithm}, 10 MB", result.events, taken_ns, loop_ns)
    network = replace(load_network(NETWORKS / "search-geo.json"), stop_ns=10**12)
    for controller in ("slow-start/rfc-9002", "search/lanman-2024"):
        began_ns = process_time_ns()
        found = run_network(network.changed("download", controller=controller))
        taken_ns = process_time_ns() - began_ns
        show(f"network search-geo, {controller}, 200 MB", found.events, taken_ns, loop_ns)


def show(what: str, events: int, taken_ns: int, loop_ns: int) -> None:
    """Print the speed of a simulation, in CPU time."""
    per_second = events * 1_000_000_000 // taken_ns
    turns = taken_ns * 1000 // events // loop_ns
    print(f"{what}: {taken_ns // 1_000_000} ms, {per_second} simulator events/s, {turns} loop turns/event")


if __name__ == "__main__":
    main()
