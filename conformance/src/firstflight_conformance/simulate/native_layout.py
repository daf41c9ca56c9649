"""The structures of ``simulator.h``."""

from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_size_t, c_uint64, c_void_p

from firstflight_conformance.simulate.native_events import NONE, RawEvent, RawObservation
from firstflight_conformance.simulate.network import FlowPlan, Network
from firstflight_conformance.simulate.presets import Experiment
from firstflight_conformance.simulate.scenario import Link, Scenario
from firstflight_conformance.simulate.transfer import Handshake, Pacing, Receiver, Transfer


class _StepLayout(Structure):
    _fields_ = [("at_ns", c_uint64), ("longer_ns", c_uint64)]


def _numbers(text: str) -> list[tuple[str, type[c_uint64]]]:
    return [(name, c_uint64) for name in text.split()]


class LinkLayout(Structure):
    """``struct sim_link``: the bottleneck and the return path."""

    _fields_ = [
        *_numbers("rate_bps forward_delay_ns return_delay_ns queue_bytes queue_packets loss_ppm jitter_ns"),
        *_numbers("early_drop_above_bytes early_drop_ppm step_count"),
        ("steps", POINTER(_StepLayout)),
    ]


class _Receiver(Structure):
    _fields_ = _numbers("ack_every_packets max_ack_delay_ns first_at_once")


class _Transfer(Structure):
    _fields_ = [
        *_numbers(
            "max_datagram_size_bytes initial_window_bytes transfer_bytes pacing named_data probes max_ack_delay_ns"
        ),
        *_numbers("least_timeout_ns header_bytes ack_bytes receive_window_bytes first_receive_window_bytes"),
        *_numbers("send_buffer_bytes write_bytes rtt_tick_ns announced saved_cwnd_bytes saved_rtt_ns"),
        *_numbers("syn_bytes data_after_ns retry_ns fin_acknowledges samples_rate max_data_bytes max_data_factor"),
    ]


class ScenarioLayout(Structure):
    """``struct sim_scenario``: one sender and one receiver on one link."""

    _fields_ = [
        *_numbers("seed stop_ns after_slow_start_ns"),
        ("transfer", _Transfer),
        ("link", LinkLayout),
        ("receiver", _Receiver),
    ]


class _Plan(Structure):
    _fields_ = [
        ("algorithm", c_char_p),
        ("profile", c_char_p),
        ("start_ns", c_uint64),
        ("transfer", _Transfer),
        ("receiver", _Receiver),
        *_numbers("bucket_rate_bps bucket_burst_bytes bucket_latency_ns access_rate_bps access_delay_ns"),
    ]


class NetworkLayout(Structure):
    """``struct sim_network``: several flows over one link."""

    _fields_ = [
        *_numbers("seed stop_ns sample_ns return_rate_bps"),
        ("link", LinkLayout),
        ("flow_count", c_uint64),
        ("flows", POINTER(_Plan)),
    ]


class PresetLayout(Structure):
    """``struct sim_preset``: one transfer of a published experiment."""

    _fields_ = [
        ("algorithm", c_char_p),
        ("profile", c_char_p),
        *_numbers("stop_ns rate_bps delay_ns queue_bytes access_rate_bps access_delay_ns"),
        ("transfer", _Transfer),
        ("receiver", _Receiver),
    ]


class SummaryLayout(Structure):
    """``struct sim_summary``: result of the run of a scenario. Times are clock times in ns; runs start at 1 s."""

    _fields_ = [
        *_numbers(
            "events began_ns ended_ns now_ns done slow_start_ended_ns ended_by largest_cwnd_bytes final_cwnd_bytes"
        ),
        *_numbers("dropped_packets lost_packets"),
    ]


class FlowResultLayout(Structure):
    """``struct sim_flow_result``: result of one flow of a network. Simulated times in ns; a run starts at 1 s."""

    _fields_ = [
        *_numbers("started_ns first_sent_ns completed_ns acknowledged_ns delivered_bytes sent_packets lost_packets"),
        *_numbers("probe_timeouts first_loss_ns dropped_by_bucket_packets"),
    ]


class NetworkResultLayout(Structure):
    """``struct sim_network_result``: totals of the run of a network."""

    _fields_ = _numbers("dropped_packets early_dropped_packets lost_on_link_packets now_ns events")


class AnswerLayout(Structure):
    """``struct sim_answer``: a controller's answer to an event: window, next release time, and slow start or not."""

    _fields_ = [*_numbers("cwnd_bytes next_release_ns"), ("in_slow_start", c_bool)]


ON_ANSWER = CFUNCTYPE(c_bool, c_void_p, POINTER(RawEvent), POINTER(AnswerLayout))


class Outside(Structure):
    """``struct sim_outside``: a controller outside the C library, with the callback that answers each event."""

    _fields_ = [*_numbers("initial_window_bytes samples_rate"), ("context", c_void_p), ("on_event", ON_ANSWER)]


class Carried(Structure):
    """``struct sim_carried``: result of sending a datagram over a link, and packets dropped or lost so far.

    ``arrival_ns``: arrival of the datagram at the receiver in ns, or 2^64 - 1 if it is dropped or lost.
    """

    _fields_ = _numbers("arrival_ns busy_until_ns dropped_packets early_dropped_packets lost_packets")


class CompletionLayout(Structure):
    """``struct sim_completion``: result of one transfer of a preset (parameters of a published experiment)."""

    _fields_ = _numbers("finished_ns dropped_packets sent_packets probe_timeouts events")


class _Turn(Structure):
    _fields_ = _numbers("t_ns phase outcome cwnd_bytes before_bytes")


class _Sample(Structure):
    _fields_ = _numbers("delivered_bytes cwnd_bytes bytes_in_flight phase")


ON_EVENT = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(RawEvent), POINTER(RawObservation))
ON_TURN = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(_Turn))
ON_SAMPLE = CFUNCTYPE(None, c_void_p, c_uint64, POINTER(_Sample))
ON_ARRIVAL = CFUNCTYPE(None, c_void_p, c_size_t, c_uint64, c_uint64, c_uint64, c_uint64)


class Watch(Structure):
    """``struct sim_watch``: callbacks for events, turns (phase changes), samples and arrivals during a run."""

    _fields_ = [
        ("context", c_void_p),
        ("event", ON_EVENT),
        ("turn", ON_TURN),
        ("sample", ON_SAMPLE),
        ("arrived", ON_ARRIVAL),
    ]


def lay_out_scenario(scenario: Scenario) -> ScenarioLayout:
    """Return a scenario in its C layout."""
    numbers = _by_name(ScenarioLayout, scenario)
    parts = _transfer(scenario.transfer), lay_out_link(scenario.link), _receiver(scenario.receiver)
    return ScenarioLayout(*numbers.values(), *parts)


def lay_out_network(network: Network) -> NetworkLayout:
    """Return a network in its C layout."""
    plans = (_Plan * len(network.flows))(*map(_plan, network.flows))
    numbers = _by_name(NetworkLayout, network)
    return NetworkLayout(**numbers, link=lay_out_link(network.link), flow_count=len(plans), flows=plans)


def lay_out_experiment(experiment: Experiment, stop_ns: int) -> PresetLayout:
    """Return a transfer of a preset (a published experiment) as the C structure. ``stop_ns``: end of the run.

    The ``algorithm`` of the experiment is ALGORITHM/PROFILE of the model, or the name of a congestion control of the
    published experiment. In the second case the profile of the structure is NULL.
    """
    algorithm, _, profile = experiment.algorithm.partition("/")
    names = algorithm.encode(), profile.encode() if profile else None
    numbers = _by_name(PresetLayout, experiment)
    parts = _transfer(experiment.transfer), _receiver(experiment.receiver)
    return PresetLayout(*names, stop_ns, *numbers.values(), *parts)


def lay_out_link(link: Link) -> LinkLayout:
    """Return a link in its C layout."""
    steps = (_StepLayout * len(link.steps))(*(_StepLayout(*step) for step in link.steps))
    return LinkLayout(**_by_name(LinkLayout, link), step_count=len(steps), steps=steps)


def _receiver(receiver: Receiver) -> _Receiver:
    return _Receiver(**_by_name(_Receiver, receiver))


def _transfer(transfer: Transfer) -> _Transfer:
    connection = transfer.connection or Handshake(0)
    numbers = _by_name(_Transfer, transfer, transfer.config, connection)
    numbers |= {"pacing": tuple(Pacing).index(transfer.pacing)}
    numbers |= {"initial_window_bytes": transfer.config.initial_window_bytes or 0}
    numbers |= {"syn_bytes": NONE} if transfer.connection is None else {}
    return _Transfer(**numbers)


def _plan(plan: FlowPlan) -> _Plan:
    algorithm, _, profile = plan.controller.partition("/")
    bucket, access = plan.bucket, plan.access
    return _Plan(
        algorithm=algorithm.encode(),
        profile=profile.encode(),
        start_ns=plan.start_ns,
        transfer=_transfer(plan.transfer),
        receiver=_receiver(plan.receiver),
        bucket_rate_bps=NONE if bucket is None else bucket.rate_bps,
        bucket_burst_bytes=0 if bucket is None else bucket.burst_bytes,
        bucket_latency_ns=0 if bucket is None else bucket.latency_ns,
        access_rate_bps=NONE if access is None else access.rate_bps,
        access_delay_ns=0 if access is None else access.delay_ns,
    )


def _by_name(layout: type[Structure], *places: object) -> dict[str, int]:
    """Return values for the ``uint64`` fields of a C structure, by field name.

    ``places``: Python objects. A field gets the value of the attribute with its name; ``None`` becomes 2^64 - 1, the
    code of a missing number in C. Fields without such an attribute are omitted. If several objects have the attribute,
    the last one counts.
    """
    numbers = [name for name, kind, *_ in layout._fields_ if kind is c_uint64]
    return {name: _optional(getattr(at, name)) for name in numbers for at in places if hasattr(at, name)}


def _optional(value: int | None) -> int:
    return NONE if value is None else value
