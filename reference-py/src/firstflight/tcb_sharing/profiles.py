"""Readings and profiles of TCB sharing. Generated from spec/profiles/tcb-sharing.toml by `make generate`; do not edit."""

from dataclasses import dataclass

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


PROFILES = {
    "rfc-9040": Readings(
        window=Window.SAVED,
        threshold=Threshold.SAVED,
        concurrent=Concurrent.REFUSED,
        lifetime=Lifetime.CHECKED,
        merge=Merge.MEAN,
    ),
    "linux": Readings(
        window=Window.INITIAL,
        threshold=Threshold.SAVED,
        concurrent=Concurrent.SHARED,
        lifetime=Lifetime.CHECKED,
        merge=Merge.LINUX,
    ),
    "freebsd": Readings(
        window=Window.INITIAL,
        threshold=Threshold.TWO_DATAGRAMS,
        concurrent=Concurrent.SHARED,
        lifetime=Lifetime.CHECKED,
        merge=Merge.MEAN,
    ),
    "freebsd-window": Readings(
        window=Window.HALF,
        threshold=Threshold.TWO_DATAGRAMS,
        concurrent=Concurrent.SHARED,
        lifetime=Lifetime.CHECKED,
        merge=Merge.MEAN,
    ),
    "stateful-tcp": Readings(
        window=Window.DATAGRAMS,
        threshold=Threshold.INFINITE,
        concurrent=Concurrent.SHARED,
        lifetime=Lifetime.IGNORED,
        merge=Merge.NONE,
    ),
}
