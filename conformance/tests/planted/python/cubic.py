"""CUBIC, RFC 9438, with recovery periods of RFC 9002. Windows are in 2^-32 bytes; each division is rounded down."""

from dataclasses import dataclass, replace

from newreno import Message, NewReno

ONE = 2**32
LARGEST = 2**62 - 1
NS = 10**27  # ns cubed in a second cubed


def cube_root(number: int) -> int:
    """Return the largest whole number with a cube of no more than ``number``."""
    low, high = 0, 1 << (number.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle)
    return low


@dataclass
class Stage:
    """A congestion avoidance stage. ``real``: the window in units; its whole bytes equal the controller's window."""

    epoch: int
    k: int
    w_est: int
    real: int


@dataclass
class Saved:
    """The state before a reduction."""

    cwnd: int
    ssthresh: int | None
    w_max: int | None
    prior: int | None
    stage: Stage | None
    recovery_start: int | None


class Cubic(NewReno):
    """The variables of section 4.1.2."""

    def __init__(self, config: Message) -> None:
        super().__init__(config)
        self.w_max: int | None = None
        self.prior: int | None = None
        self.stage: Stage | None = None
        self.saved: Saved | None = None
        self.stopped: int | None = None
        self.idle = False

    def on_sent(self, event: Message) -> None:
        if self.idle and not event.get("not_in_flight"):
            self.resume(event["t_ns"])

    def on_ack(self, event: Message) -> None:
        if event.get("not_in_flight"):
            return
        avoided = 0
        for first, last, size, sent in event["packets"]:
            if self.is_old(sent):
                continue
            self.in_recovery = False
            if event["app_limited"]:
                continue
            for _ in range(first, last + 1):
                if self.is_slow():
                    self.cwnd = min(self.cwnd + size, LARGEST)
                else:
                    avoided += size
        if event["app_limited"]:
            self.stop(event["t_ns"], idle=False)
        elif avoided:
            self.avoid(event, min(avoided, self.cwnd))
        if event["bytes_in_flight"] == 0:
            self.stop(event["t_ns"], idle=True)

    def stop(self, now: int, *, idle: bool) -> None:
        """Stop the clock of the stage."""
        if self.stage is None and self.saved is None:
            return
        self.idle = idle and (self.idle or self.stopped is None)
        if self.stopped is None:
            self.stopped = now

    def resume(self, now: int) -> None:
        if self.stopped is not None:
            for stage in (self.stage, self.saved.stage if self.saved else None):
                if stage is not None:
                    stage.epoch += now - self.stopped
        self.stopped, self.idle = None, False

    def begin(self, now: int) -> None:
        """Begin a stage."""
        if self.w_max is None or self.w_max < self.cwnd:
            self.w_max = self.cwnd
        if self.prior is None:
            self.prior = self.cwnd
        k = cube_root(5 * NS * (self.w_max - self.cwnd) // (2 * self.datagram))
        self.stage = Stage(now, k, self.cwnd * ONE, self.cwnd * ONE)

    def curve(self, t: int) -> int:
        """Return W_cubic(t)."""
        distance = 2 * self.datagram * abs(t - self.stage.k) ** 3 // (5 * NS)
        return max(self.w_max - distance, 0) if t < self.stage.k else min(self.w_max + distance, LARGEST)

    def avoid(self, event: Message, acked: int) -> None:
        """Grow in congestion avoidance."""
        now = event["t_ns"]
        self.resume(now)
        if self.stage is None or self.stage.real // ONE != self.cwnd:
            self.begin(now)
        stage = self.stage
        alpha, over = (1, 1) if stage.w_est >= self.prior * ONE else (9, 17)
        stage.w_est += alpha * self.datagram * acked * ONE // (over * self.cwnd)
        t = now - stage.epoch
        if self.curve(t) < stage.w_est // ONE:
            if stage.w_est // ONE > self.cwnd:
                stage.real = stage.w_est
        else:
            target = self.curve(t + (event["smoothed_rtt_ns"] or 0))
            target = min(max(target, self.cwnd), 3 * self.cwnd // 2)
            stage.real += acked * (target - self.cwnd) * ONE // self.cwnd
        stage.real = min(stage.real, LARGEST * ONE)
        self.cwnd = stage.real // ONE

    def on_congestion(self, event: Message, sent: int) -> None:
        if self.is_old(sent):
            return
        saved = Saved(self.cwnd, self.ssthresh, self.w_max, self.prior, self.stage, self.recovery_start)
        self.saved = saved if event["ev"] == "lost" else None
        fast = self.w_max is not None and self.cwnd < self.w_max
        self.w_max = 17 * self.cwnd // 20 if fast else self.cwnd
        self.prior, self.stage = self.cwnd, None
        reduced = 7 * self.cwnd // 10
        self.ssthresh = max(reduced, 2 * self.datagram)
        self.cwnd = max(reduced, (1 if event["ev"] == "ce" else 2) * self.datagram)
        self.recovery_start, self.in_recovery = event["t_ns"], True

    def on_persistent_congestion(self, event: Message) -> None:
        super().on_persistent_congestion(event)
        self.w_max = self.stage = self.saved = None

    def on_spurious_loss(self, _: Message) -> None:
        saved = self.saved
        if saved is None or self.cwnd >= saved.cwnd:
            return
        self.cwnd, self.ssthresh, self.w_max, self.prior = saved.cwnd, saved.ssthresh, saved.w_max, saved.prior
        self.stage = replace(saved.stage) if saved.stage else None
        self.recovery_start, self.in_recovery, self.saved = saved.recovery_start, False, None
