"""The endpoint around the plain programs: each path has its own controller (RFC 9000, section 9.4)."""

from dataclasses import dataclass, replace
from itertools import dropwhile

from firstflight.events import Ack, Ce, Event, Lost, PathChange, Sent


def follows_paths(profile: str) -> bool:
    """Return whether a new path gets a new controller. Careful Resume handles the event by its own rules."""
    return not profile.startswith("careful-resume/")


@dataclass(slots=True)
class Path:
    """The current path. ``start_ns``: its start time, 0 for the first path."""

    start_ns: int = 0

    def of_packets(self, event: Event) -> Event | None:
        """Return an event's part for packets of this path in flight, or ``None``. ``path_change`` begins a path."""
        match event:
            case Sent(not_in_flight=True) | Ack(not_in_flight=True):
                return None
            case PathChange():
                self.start_ns = event.t_ns
                return None
            case Ce():
                return event if event.sent_t_ns > self.start_ns else None
            case Ack() | Lost():
                # Packets are sent in the order of their numbers, so packets of earlier paths come first.
                runs = tuple(dropwhile(lambda run: run.sent_t_ns <= self.start_ns, event.packets))
                size = sum(run.count * run.size_bytes for run in runs)
                return replace(event, packets=runs, bytes=size) if runs else None
        return event
