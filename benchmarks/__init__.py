"""Clew measured against its peers, part by part; `make bench` runs all and writes the document."""
