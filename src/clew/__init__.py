"""Clew leads coding agents out of failing tests."""

__version__ = "0.1.0"
