"""Hand-built stimuli of Careful Resume."""

from firstflight.observables import Outcome

#: Outcomes after which its profiles may differ in what they let be sent.
ENDINGS = {
    Outcome.LIFETIME_EXCEEDED, Outcome.RTT_NOT_VALIDATED, Outcome.JUMP_NOT_LARGER, Outcome.THRESHOLD_SET, Outcome.JUMPED,
    Outcome.RATE_LIMITED, Outcome.VALIDATION_BEGUN, Outcome.RETREATED, Outcome.RETREAT_ENDED,
}  # fmt: skip
