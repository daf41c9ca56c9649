"""No vector or path meets the kernel's condition for ProbeRTT in a profile of Linux, because these profiles lack it."""

from collections.abc import Iterable

import pytest

from firstflight.events import Ack, Event, Sent
from firstflight_conformance.adapters.messages import OBSERVABLES
from firstflight_conformance.format.vectors import load_all
from firstflight_conformance.paths import VECTORS
from firstflight_conformance.simulate.cases import stimulus_cases
from firstflight_conformance.simulate.model_run import observed_run

S = 10**9
#: Age in ns of the minimum RTT for ProbeRTT in the kernel: `bbr_min_rtt_win_sec`, in version 3 `bbr_probe_rtt_win_ms`.
WINDOWS_NS = {"linux-v1": 10 * S, "linux-v3": 5 * S}


def probe_rtt_begins(events: Iterable[Event], window_ns: int) -> int | None:
    """Return the index of the first ACK that begins ProbeRTT (`bbr_update_min_rtt`), or None.

    An ACK of the first packets after idle time does not begin it (`idle_restart`). Idle time ends when packets are sent
    with none in flight after an application limit (`tp->app_limited`, `CA_EVENT_TX_START`).
    """
    min_rtt_ns = stamp_ns = None
    delivered_bytes = limited_bytes = 0
    idle_restart = False
    for index, event in enumerate(events):
        if isinstance(event, Sent):
            if limited_bytes and event.bytes_in_flight == event.bytes:
                idle_restart = True
            if event.app_limited:
                limited_bytes = delivered_bytes + event.bytes_in_flight
        if not isinstance(event, Ack):
            continue
        delivered_bytes += event.bytes
        if delivered_bytes > limited_bytes:
            limited_bytes = 0
        expired = stamp_ns is not None and event.t_ns > stamp_ns + window_ns
        rtt_ns = event.latest_rtt_ns
        if rtt_ns is not None and (min_rtt_ns is None or rtt_ns < min_rtt_ns or expired):
            min_rtt_ns, stamp_ns = rtt_ns, event.t_ns
        if expired and not idle_restart:
            return index
        idle_restart = False
    return None


@pytest.mark.parametrize("profile", WINDOWS_NS)
def test_linux_vectors_do_not_reach_probe_rtt(profile: str) -> None:
    """No vector of Linux reaches ProbeRTT, where the kernel lowers cwnd to four packets or half of the BDP."""
    vectors = [vector for vector in load_all(VECTORS, ("bbr",)) if profile in vector.profiles]
    assert len(vectors) > 10
    assert [vector.id for vector in vectors if probe_rtt_begins(vector.events, WINDOWS_NS[profile]) is not None] == []


@pytest.mark.parametrize("profile", WINDOWS_NS)
def test_linux_paths_do_not_reach_probe_rtt(profile: str) -> None:
    """No path of a Linux profile reaches ProbeRTT in the model's run; longer paths exclude the profile."""
    cases = [case for case in stimulus_cases() if (case.vector.algorithm, case.profile) == ("bbr", profile)]
    assert len(cases) >= 10
    for case in cases:
        events = (event for event, _ in observed_run(case, 1, OBSERVABLES))
        assert probe_rtt_begins(events, WINDOWS_NS[profile]) is None, case.id


@pytest.mark.parametrize("profile", WINDOWS_NS)
def test_min_rtt_vector_without_idle_time_begins_probe_rtt(profile: str) -> None:
    """Without the idle time before its flights, an ACK of the min-rtt vector would begin ProbeRTT."""
    name = {"linux-v1": "bbr.linux.min-rtt", "linux-v3": "bbr.linux-v3.min-rtt"}[profile]
    (vector,) = (vector for vector in load_all(VECTORS, ("bbr",)) if vector.id == name)
    busy = [event for event in vector.events if isinstance(event, Ack)]
    assert probe_rtt_begins(busy, WINDOWS_NS[profile]) is not None
