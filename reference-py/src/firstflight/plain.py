"""Self-contained programs ("plain programs"): ``PACKAGE/plain_TEXT.py`` implements one published text, or the code that serves as one.

They do not have readings and do not share code with the model. The head of each program lists its sources. Most
programs were written before they were compared with the model. Draft -09 of SEARCH and BBR (except draft -06) were
written from code, the others from their text. The author of the model wrote Limited Slow-Start, Quick-Start, Hybla,
both of TCB sharing and both of SUSS with or after the model. These are not an independent interpretation. The tests run
each program on every vector of its ``PROFILE``, and against the model on random streams. The interface of a program:

- ``PROFILE``: the profile that judges it, such as ``slow-start/rfc-9002``.
- ``begin(max_datagram_size_bytes, initial_window_bytes)`` returns the state; the other functions change it in place.
- ``on_event(state, event)`` passes the event to the function for its kind and returns the outcome.
- A program serves one path: at ``path_change`` the endpoint (``conformance/plain/paths.py``) begins it anew and omits
packets of the old path. Careful
  Resume has its own rules for the event.
- A program for QUIC implements the loss of PMTU probes and ``datagram_size`` (RFC 9000, section 14). Streams of TCP
profiles contain neither.
- A program that computes has ``compute(profile, inputs)`` instead, which returns the outputs by name.
- The state has ``cwnd_bytes``, ``ssthresh_bytes`` (``None`` while it is infinite) and ``phase``, also ``next_release_ns`` if the algorithm paces,
  and ``triggers`` if it has them. A startup algorithm may keep them in its ``base``, the state of ``newreno_rfc_9002``.
"""
