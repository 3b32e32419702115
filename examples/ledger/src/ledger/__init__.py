"""Adds up a household's expenses from a CSV file."""
