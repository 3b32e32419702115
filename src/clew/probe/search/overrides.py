"""Give the import system another text for a file; nothing is written to disk."""

from __future__ import annotations

import importlib.machinery
import io
import os
from typing import Any, Dict

__all__ = ["install"]


def install(table: Dict[str, bytes]) -> None:
    """From now on loading a file of the table (by real path) compiles the table's bytes.

    However it is loaded: imported, by a spec of its place, or by `runpy`. The table may change.
    """
    loader: Any = importlib.machinery.SourceFileLoader
    get_code, get_data = loader.get_code, loader.get_data

    def patched_code(self: Any, fullname: str) -> Any:
        text = table.get(os.path.realpath(self.path))
        if text is None:
            return get_code(self, fullname)
        # Cached bytecode is passed over: it is of the file on disk.
        return self.source_to_code(text, self.path)

    def patched_data(self: Any, path: str) -> Any:
        text = table.get(os.path.realpath(path))
        return get_data(self, path) if text is None else text

    opened = io.open_code

    def patched_open(path: str) -> Any:
        text = table.get(os.path.realpath(path))
        return opened(path) if text is None else io.BytesIO(text)

    loader.get_code = patched_code
    loader.get_data = patched_data
    io.open_code = patched_open
