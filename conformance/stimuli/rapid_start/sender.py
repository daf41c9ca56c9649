"""Shared by the stimuli of Rapid Start: profiles, sources, and a recovery of 30 packets.

Defaults: datagrams of 1000 bytes, an initial window of ten datagrams and an RTT of 100 ms.
"""

from firstflight_conformance.format.builder import MS

DRAFT, INITIAL, FIRST_DRAFT, QUICLY = "draft-02", "draft-02-initial", "draft-00", "quicly"
CUBIC = DRAFT + "+cubic"
ALL = (DRAFT, FIRST_DRAFT, QUICLY)
DRAFTS = (DRAFT, FIRST_DRAFT)
SOURCE = "draft-kazuho-ccwg-rapid-start-02"
RTT = 100 * MS
