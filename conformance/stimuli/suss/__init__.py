"""Hand-built stimuli of SUSS."""

#: The patch runs it on CUBIC: its stimuli are judged on that base as well.
ALSO_ON = ("+cubic",)
