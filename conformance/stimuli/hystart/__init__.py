"""Hand-built stimuli of HyStart."""

#: Every stack known to have it runs it on CUBIC: its stimuli are judged on that base as well.
ALSO_ON = ("+cubic",)
