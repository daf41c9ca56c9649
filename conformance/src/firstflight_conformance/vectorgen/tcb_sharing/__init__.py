"""Hand-built stimuli of TCB sharing."""

from firstflight.observables import Outcome

#: Outcomes after which its profiles may differ in what they let be sent.
ENDINGS = {Outcome.TCB_SHARED, Outcome.PACED_STARTUP_ENDED, Outcome.REDUCED}
