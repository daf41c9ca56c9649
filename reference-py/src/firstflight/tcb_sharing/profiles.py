"""Readings and profiles of TCB sharing. Generated from spec/tcb-sharing/profiles.toml by `make generate`; do not edit."""

from dataclasses import dataclass, replace

from firstflight.enums import Enum


class Window(Enum):
    """Which window does a connection begin with?"""

    SAVED = "saved"
    HALF = "half"
    DATAGRAMS = "datagrams"
    INITIAL = "initial"


class Threshold(Enum):
    """Which slow start threshold does a connection with cached values begin with?"""

    SAVED = "saved"
    TWO_DATAGRAMS = "two_datagrams"
    INFINITE = "infinite"


class Concurrent(Enum):
    """May a connection use a saved set that another connection uses?"""

    REFUSED = "refused"
    SHARED = "shared"


class Lifetime(Enum):
    """May a connection use a saved set after its Lifetime?"""

    CHECKED = "checked"
    IGNORED = "ignored"


class Merge(Enum):
    """Which window does a connection leave in the cache when it closes?"""

    MEAN = "mean"
    LINUX = "linux"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Readings:
    """The value that one profile (one version of the algorithm) has for each open question of the text."""

    window: Window
    threshold: Threshold
    concurrent: Concurrent
    lifetime: Lifetime
    merge: Merge


RFC_9040 = Readings(
    window=Window.SAVED,
    threshold=Threshold.SAVED,
    concurrent=Concurrent.REFUSED,
    lifetime=Lifetime.CHECKED,
    merge=Merge.MEAN,
)

LINUX = replace(
    RFC_9040,
    window=Window.INITIAL,
    concurrent=Concurrent.SHARED,
    merge=Merge.LINUX,
)

FREEBSD = replace(
    LINUX,
    threshold=Threshold.TWO_DATAGRAMS,
    merge=Merge.MEAN,
)

FREEBSD_WINDOW = replace(
    FREEBSD,
    window=Window.HALF,
)

STATEFUL_TCP = Readings(
    window=Window.DATAGRAMS,
    threshold=Threshold.INFINITE,
    concurrent=Concurrent.SHARED,
    lifetime=Lifetime.IGNORED,
    merge=Merge.NONE,
)

PROFILES = {
    "rfc-9040": RFC_9040,
    "linux": LINUX,
    "freebsd": FREEBSD,
    "freebsd-window": FREEBSD_WINDOW,
    "stateful-tcp": STATEFUL_TCP,
}
