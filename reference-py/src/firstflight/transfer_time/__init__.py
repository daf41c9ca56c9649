"""The transfer-time models (``spec/transfer-time/rules.md``)."""

from firstflight.algorithm import Computation

ALGORITHM = Computation(name="transfer-time", title="Transfer times", package="transfer_time")
