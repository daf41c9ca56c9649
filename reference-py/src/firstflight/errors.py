"""The one error of the model."""


class DomainError(ValueError):
    """An argument lies outside the domain in which the references are exact; nothing was computed."""
