"""Hand-built stimuli of SUSS."""

from firstflight.observables import Outcome

#: Outcomes after which its profiles may differ in what they let be sent.
ENDINGS = {Outcome.EXITED_BY_TRAIN, Outcome.EXITED_BY_DELAY, Outcome.EXITED_BY_CAP}
#: The patch runs it on CUBIC: its stimuli are judged on that base as well.
ALSO_ON = ("+cubic",)
