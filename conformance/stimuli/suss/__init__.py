"""Hand-built stimuli of SUSS."""

#: The patch runs SUSS on CUBIC: its stimuli are judged on that base as well.
ALSO_ON = ("+cubic",)
