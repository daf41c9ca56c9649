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
    """Which threshold does it begin with?"""

    SAVED = "saved"
    TWO_DATAGRAMS = "two_datagrams"
    INFINITE = "infinite"


class Concurrent(Enum):
    """Is a set used that another connection uses?"""

    REFUSED = "refused"
    SHARED = "shared"


class Lifetime(Enum):
    """Is a set used after its Lifetime?"""

    CHECKED = "checked"
    IGNORED = "ignored"


class Merge(Enum):
    """What does a connection that closes leave in the cache?"""

    MEAN = "mean"
    LINUX = "linux"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for every reading."""

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
