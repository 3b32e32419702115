"""Kinds of session: a folder each, and none imports another."""
