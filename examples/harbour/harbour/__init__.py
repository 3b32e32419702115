"""Berths, tides and dues of a small harbour."""
