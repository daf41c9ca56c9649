"""Renders the records of a run as text, JSON, HTML, JUnit and badge."""
