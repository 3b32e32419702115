"""`clew` that runs the whole suite after every fix: its own words."""

from __future__ import annotations

import sys

from clew import reruns
from clew.cli import main

reruns.gate = lambda _before, _alone, _flaky: ()
main(sys.argv[1:])
