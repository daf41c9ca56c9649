"""Hand-built stimuli of Careful Resume: saved sets and the jump. Where the tier is gold, `why` derives the expectation.

Fixture: datagrams of 1200 bytes, an initial window of 12000, a saved window of 240000 and a saved RTT of 100 ms. Packet 10 is the first after the
initial data.
"""

from generate.catalogue import Catalogue
from stimuli.careful_resume.builder import CONFIRMED, ENTRY, RTT, ResumeBuilder

RFC = ("rfc-9959", "rfc-9959-unvalidated")
PROFILES = (*RFC, "draft-10")
SOURCES = ("RFC 9959 as draft-ietf-tsvwg-careful-resume-24",)
CATALOGUE = Catalogue(*PROFILES, sources=SOURCES, builder=ResumeBuilder)
add = CATALOGUE.add


@add(
    "careful-resume.saved.absent",
    "A saved window of 0 is no saved set",
    "saved_cwnd_bytes = 0: there is nothing to resume, and slow start grows 12000 by 12000 to 24000; data that waits brings no jump.",
)
def saved_absent(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=0)
    b.expect(at=0, outcome="saved_set_absent")
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.saved.rtt-zero",
    "A saved RTT of 0 is no saved set",
    "saved_rtt_ns = 0 would make every RTT too long and the pacing undefined: nothing to resume, 24000 stays.",
)
def saved_rtt_zero(b: ResumeBuilder) -> None:
    b.enter_empty(rtt_ns=0)
    b.expect(at=0, outcome="saved_set_absent")
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.saved.endpoint-mismatch",
    "A saved set of another Remote Endpoint is not used",
    "The endpoint does not match: no resumption, the window is 24000 after the initial data and stays there.",
)
def saved_endpoint_mismatch(b: ResumeBuilder) -> None:
    b.enter_empty(endpoint_matches=False)
    b.expect(at=0, outcome="endpoint_mismatch")
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.saved.in-use",
    "A saved set that another connection uses is not used",
    "The set is in use: no resumption, 24000 stays. An implementation without a lock jumps to 240000 / 2 = 120000.",
)
def saved_in_use(b: ResumeBuilder) -> None:
    b.enter_empty(in_use=True)
    b.expect(at=0, outcome="saved_set_in_use")
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.saved.expired",
    "A saved set whose Lifetime is exceeded is not used",
    "The Lifetime ended 1 ns before the offer: the set is deleted.",
)
def saved_expired(b: ResumeBuilder) -> None:
    b.enter_empty(expires_ns=-1)
    b.expect(at=0, outcome="lifetime_exceeded", saved_cwnd_bytes=None)
    b.expect(cwnd_bytes=24_000, phase="normal")


@add(
    "careful-resume.saved.expires-later",
    "A saved set may be used until its Lifetime is exceeded",
    "The Lifetime ends at the very time of the jump, and is not exceeded yet: 240000 / 2 = 120000. A comparison that counts the end as exceeded stays at 24000.",
)
def saved_expires_later(b: ResumeBuilder) -> None:
    b.enter_empty(expires_ns=ENTRY)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.saved.one-use",
    "A connection resumes once",
    """The first set is used for a jump to 120000. Nothing is sent for three round trips: the phase ends with 0 bytes in flight, less than the initial window,
    and the window becomes max(0, 12000) = 12000. The same set offered again is refused.""",
)
def saved_one_use(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.pto(ENTRY + 3 * RTT)
    b.saved_path(ENTRY + 4 * RTT)
    b.wake(ENTRY + 5 * RTT)
    b.expect(profile=RFC, at=4, outcome="rate_limited", cwnd_bytes=12_000)
    b.expect(profile="draft-10", at=4, cwnd_bytes=120_000)
    b.expect(at=5, outcome="already_used")


@add(
    "careful-resume.saved.deleted-by-retreat",
    "After Safe Retreat there is no saved set for the next connection",
    """The loss of packet 10 deletes the set: saved_cwnd_bytes is null. The next connection is offered none; here the same connection is, and refuses.
    PipeSize is the 24000 in flight at the jump, the window 24000 / 2 = 12000.""",
)
def saved_deleted_by_retreat(b: ResumeBuilder) -> None:
    b.enter_with_flight()
    b.lose(CONFIRMED + RTT, (10, 10))
    b.saved_path(CONFIRMED + RTT, 0, 0)
    b.expect(at=5, pipesize_bytes=24_000, cwnd_bytes=12_000, saved_cwnd_bytes=None)
    b.expect(outcome="already_used")


@add(
    "careful-resume.reconnaissance.jump-half",
    "The jump is half of the saved window",
    "240000 / 2 = 120000. A jump to the full saved window gives 240000.",
)
def reconnaissance_jump_half(b: ResumeBuilder) -> None:
    b.enter_empty()
    b.expect(cwnd_bytes=120_000, jump_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.jump-odd-saved",
    "Half of an odd saved window is rounded down",
    "floor(240001 / 2) = 120000; rounded up it would be ceil(240001 / 2) = 120001.",
)
def reconnaissance_jump_odd_saved(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=240_001)
    b.expect(cwnd_bytes=120_000, phase="unvalidated")


@add(
    "careful-resume.reconnaissance.jump-maximum",
    "The jump is no larger than the configured maximum, and is paced by it",
    "min(60000, 240000 / 2) = 60000. After one packet of 1200 bytes the next is due 1200 * 100 ms / 60000 = 2 ms later.",
)
def reconnaissance_jump_maximum(b: ResumeBuilder) -> None:
    b.enter_empty(max_jump_bytes=60_000)
    b.send(ENTRY, 1)
    b.expect(cwnd_bytes=60_000, next_release_ns=1_152_000_000)


@add(
    "careful-resume.reconnaissance.jump-below-maximum",
    "A configured maximum above the jump does not raise it",
    "min(200000, 240000 / 2) = 120000.",
)
def reconnaissance_jump_below_maximum(b: ResumeBuilder) -> None:
    b.enter_empty(max_jump_bytes=200_000)
    b.expect(cwnd_bytes=120_000)


@add(
    "careful-resume.reconnaissance.jump-equals-window",
    "A jump to the window that is there ends Careful Resume",
    "The window is 24000 after the initial data, the jump 48000 / 2 = 24000: nothing to gain. The window stays, and its growth goes on: 24000 + 2 * 1200 = 26400.",
)
def reconnaissance_jump_equals_window(b: ResumeBuilder) -> None:
    b.enter_empty(cwnd_bytes=48_000)
    b.send(ENTRY, 20)
    b.ack(ENTRY + RTT, (10, 11))
    b.expect(at=3, outcome="jump_not_larger", cwnd_bytes=24_000)
    b.expect(cwnd_bytes=26_400, phase="normal")


@add(
    "careful-resume.reconnaissance.jump-below-window",
    "A jump below the window ends Careful Resume and lowers nothing",
    "Fifty packets of initial data bring the window from 60000 to 120000; the jump would be 200000 / 2 = 100000. The window stays at 120000.",
    initial_window_bytes=60_000,
)
def reconnaissance_jump_below_window(b: ResumeBuilder) -> None:
    b.begin(50, cwnd_bytes=200_000)
    b.ack(CONFIRMED, (0, 49))
    b.wake(ENTRY)
    b.expect(outcome="jump_not_larger", cwnd_bytes=120_000)
