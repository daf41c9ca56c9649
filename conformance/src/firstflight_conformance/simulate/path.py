"""The link of a scenario for real datagrams (``conformance/simulator/relay.c``)."""

from ctypes import byref
from weakref import finalize

from firstflight_conformance.simulate import native
from firstflight_conformance.simulate.native_bounds import check_link
from firstflight_conformance.simulate.native_events import NONE
from firstflight_conformance.simulate.native_layout import Carried, lay_out_link
from firstflight_conformance.simulate.scenario import Link


class Bottleneck:
    """A link with its queue. ``origin_ns`` is the time of the first packet, 0 before it."""

    def __init__(self, link: Link, seed: int) -> None:
        """Start with an empty queue. ``seed``: seed of the random numbers for losses and jitter.

        Raise :class:`ScenarioError` for a link beyond the bounds of the simulator, and :class:`NativeError` if the C
        library of the simulator cannot be built or loaded.
        """
        check_link("link", link)
        self.origin_ns = 0
        self._layout, self._seed, self._library = lay_out_link(link), seed, native.library()
        self._path: int | None = None
        self._carried = Carried()

    @property
    def busy_until_ns(self) -> int:
        """Time when the last accepted packet has left the link."""
        return int(self._carried.busy_until_ns)

    @property
    def dropped_packets(self) -> int:
        """Number of dropped packets."""
        return int(self._carried.dropped_packets)

    @property
    def early_dropped_packets(self) -> int:
        """Number of packets dropped at random while the queue had room."""
        return int(self._carried.early_dropped_packets)

    @property
    def lost_packets(self) -> int:
        """Number of packets lost on the link."""
        return int(self._carried.lost_packets)

    def carry(self, now_ns: int, size_bytes: int) -> int | None:
        """Enqueue a packet; return its arrival time in ns, or ``None`` if it is dropped or lost."""
        if self._path is None:
            self.origin_ns = now_ns
            self._path = self._library.sim_path_begin(byref(self._layout), self._seed, now_ns)
            if self._path is None:
                raise MemoryError("the simulator is out of memory")
            finalize(self, self._library.sim_path_end, self._path)
        status = self._library.sim_path_carry(self._path, now_ns, size_bytes, byref(self._carried))
        native.check(native.Status(status), "link")
        arrival_ns = int(self._carried.arrival_ns)
        return None if arrival_ns == NONE else arrival_ns
