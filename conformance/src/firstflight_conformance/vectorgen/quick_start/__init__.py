"""Hand-built stimuli of Quick-Start."""

from firstflight.observables import Outcome

#: Outcomes after which its profiles may differ in what they let be sent.
ENDINGS = {Outcome.QUICK_START_BEGUN, Outcome.QUICK_START_ENDED, Outcome.QUICK_START_REVERTED, Outcome.REDUCED}
