"""How a contender talks: a JSON line in, a JSON line out.

Importing this keeps the answers apart: whatever else is printed goes to stderr from then on.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["serve"]

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def serve(answer: Callable[[Any], object]) -> None:
    """Answer every line of stdin until it ends."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=ANSWERS, flush=True)
