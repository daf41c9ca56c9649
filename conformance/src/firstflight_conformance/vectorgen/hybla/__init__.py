"""Hand-built stimuli of Hybla."""

from firstflight.observables import Outcome

#: Outcomes after which its profiles may differ in what they let be sent.
ENDINGS = {Outcome.REDUCED}
