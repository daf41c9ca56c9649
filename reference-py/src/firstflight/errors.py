"""The one error of the model."""


class DomainError(ValueError):
    """An argument is outside the domain of exact results of the references; nothing was computed."""
