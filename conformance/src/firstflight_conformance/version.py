"""The version of Firstflight. Generated from spec/VERSION by `make generate`; do not edit."""

__version__ = "0.2.0"
