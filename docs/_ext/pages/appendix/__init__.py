"""Sections *Pseudocode* and *Test vectors* of a profile for an Internet-Draft."""
