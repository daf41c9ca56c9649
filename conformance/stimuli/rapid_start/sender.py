"""What the stimuli of Rapid Start share: profiles, sources, and a recovery of 30 packets.

Datagrams have 1000 bytes, the initial window has ten of them and the RTT is 100 ms, unless the text says otherwise.
"""

from firstflight_conformance.format.builder import MS

DRAFT, INITIAL, FIRST_DRAFT, QUICLY = "draft-02", "draft-02-initial", "draft-00", "quicly"
CUBIC = DRAFT + "+cubic"
ALL = (DRAFT, FIRST_DRAFT, QUICLY)
DRAFTS = (DRAFT, FIRST_DRAFT)
SOURCE = "draft-kazuho-ccwg-rapid-start-02"
RTT = 100 * MS
