"""Plain programs: one file for one published text, written from that text alone, to be read and to port from.

They are straight code, without readings and without anything of the model's algorithms, and so a second opinion on the text. Each is judged by
every vector of its ``PROFILE`` and by random streams against the model. The door of each:

- ``PROFILE``: the profile it is judged by, ``slow-start/rfc-9002``.
- ``begin(max_datagram_size_bytes, initial_window_bytes)`` returns the state, which is changed in place.
- ``on_event(state, event)`` hands the event to the function for it and returns the outcome.
- A program that computes has ``compute(profile, inputs)`` in their place, which returns the outputs by name.
- ``cwnd_bytes``, ``ssthresh_bytes`` (``None`` while it is infinite) and ``phase`` are read from the state, and ``next_release_ns`` of one
  that paces, ``triggers`` of one that has them. What the state of a startup algorithm does not have is read from its ``base``, the state
  of ``newreno_rfc_9002``.
"""
