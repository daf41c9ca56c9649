"""Addresses of a built site that play a vector up to a divergence, with the windows of adapter and model."""

from urllib.parse import urlencode

from firstflight_conformance.records.results import Result


def play_address(vector_id: str, profile: str, **more: object) -> str:
    """Return the address, relative to the site, that plays a vector. The id begins with the algorithm."""
    values = {"vector": vector_id, "a": f"{vector_id.partition('.')[0]}/{profile}", **more}
    return f"play.html#{urlencode(values, safe='/')}"


def play_link(site: str | None, result: Result, name: str) -> str:
    """Return the address of the page that plays the vector of a result up to its divergence from the model.

    ``site``: address of the built site. ``name``: the adapter. If its cwnd differs from the model at the divergence,
    the address also contains the name and this cwnd. Return an empty text without a site or a divergence, for a
    divergence without an event, and for closed-loop cases.
    """
    vector_id, _, profile = result.case_id.partition("@")
    divergence = result.divergence
    if site is None or divergence is None or divergence.event_index is None or ":" in vector_id:
        return ""
    windows = [difference.observed for difference in divergence.differences if difference.observable == "cwnd_bytes"]
    parameters = {"of": name, "cwnd": windows[0], "at": divergence.event_index} if windows else {}
    return f"{site.rstrip('/')}/{play_address(vector_id, profile, step=divergence.event_index, **parameters)}"
