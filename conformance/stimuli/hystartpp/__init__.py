"""Hand-built stimuli of HyStart++."""

#: Every known stack with HyStart++ runs it on CUBIC: its stimuli are judged on that base as well.
ALSO_ON = ("+cubic",)
