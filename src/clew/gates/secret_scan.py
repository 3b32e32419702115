"""Look for secrets in the files of a folder; run confined, as a program of its own.

    python secret_scan.py FOLDER

Prints a line of JSON for each: file, line, kind. What was found is never printed.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

__all__ = ["main"]


def main(folder: str) -> int:
    """Scan every file below a folder with all detectors of the library."""
    scanning = import_module("detect_secrets.core.scan")  # an extra
    top = Path(folder)
    with import_module("detect_secrets.settings").default_settings():
        for path in sorted(path for path in top.rglob("*") if path.is_file()):
            name = path.relative_to(top).as_posix()
            for secret in scanning.scan_file(str(path)):
                sys.stdout.write(json.dumps([name, secret.line_number, secret.type]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
