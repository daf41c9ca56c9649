"""The one error of the model."""


class DomainError(ValueError):
    """An argument is outside the range where the model and its C port give exact results; nothing was computed."""
