"""The flat form of vectors, for readers without the model."""
