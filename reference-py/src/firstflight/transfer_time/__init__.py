"""The transfer-time models (``spec/transfer-time.md``)."""

from firstflight.algorithm import Computation

ALGORITHM = Computation(name="transfer-time", title="Transfer times", room="transfer_time")
