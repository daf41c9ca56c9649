"""Plain programs: one file for one published text, or for the code that stands for one, to be read and to port from: ``NAME/plain_TEXT.py``.

They are straight code, without readings and without anything of the model; the head of each says what was read. Ten were first written from their
text, draft -09 of SEARCH from code, and then compared with the model; seven (Limited Slow-Start, Quick-Start, Hybla, both of TCB sharing, both
of SUSS) came from the author of the model, with it or after it: a second writing, not a second reading. Each is judged by every vector of its
``PROFILE`` and by random streams against the model. The interface of each:

- ``PROFILE``: the profile it is judged by, ``slow-start/rfc-9002``.
- ``begin(max_datagram_size_bytes, initial_window_bytes)`` returns the state, which is changed in place.
- ``on_event(state, event)`` hands the event to the function for it and returns the outcome.
- A program that computes has ``compute(profile, inputs)`` in their place, which returns the outputs by name.
- ``cwnd_bytes``, ``ssthresh_bytes`` (``None`` while it is infinite) and ``phase`` are read from the state, and ``next_release_ns`` of one
  that paces, ``triggers`` of one that has them. What the state of a startup algorithm does not have is read from its ``base``, the state
  of ``newreno_rfc_9002``.
"""
