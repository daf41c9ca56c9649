"""``firstflight judge-qlog``: the name that ``firstflight judge`` had when it read nothing but qlogs."""

from copy import copy

from firstflight_conformance.commands.judge import judge_command

judge_qlog_command = copy(judge_command)
judge_qlog_command.name = "judge-qlog"
