"""Self-contained programs ("plain programs"): ``PACKAGE/plain_TEXT.py`` implements one published text, or the code that serves as one.

They are without readings and share no code with the model; the head of each lists the sources that were read. Most were
written before they were compared with the model: draft -09 of SEARCH and BBR (except draft -06) from code, the others
from their text. The author of the model wrote Limited Slow-Start, Quick-Start, Hybla, both of TCB sharing and both of
SUSS with it or after it: these are not an independent interpretation. The tests run each on every vector of its
``PROFILE``, and against the model on random streams. The interface of each:

- ``PROFILE``: the profile that judges it, such as ``slow-start/rfc-9002``.
- ``begin(max_datagram_size_bytes, initial_window_bytes)`` returns the state, which the other functions change in place.
- ``on_event(state, event)`` passes the event to the function for its kind and returns the outcome.
- A program serves one path: at ``path_change`` the endpoint (``conformance/plain/paths.py``) begins it anew, and leaves packets of the old path out. Careful Resume has
  rules of its own for the event.
- A program for QUIC implements the loss of PMTU probes and ``datagram_size`` (RFC 9000, section 14). Streams of TCP profiles have neither.
- A program that computes has ``compute(profile, inputs)`` instead, which returns the outputs by name.
- The state has ``cwnd_bytes``, ``ssthresh_bytes`` (``None`` while it is infinite) and ``phase``, also ``next_release_ns`` if the algorithm paces,
  and ``triggers`` if it has them. A startup algorithm may leave them to its ``base``, the state of ``newreno_rfc_9002``.
"""
