"""`python -m …search request.json`: the search alone."""

from __future__ import annotations

import json
import sys

from . import run

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.exit(run(json.load(file)))
