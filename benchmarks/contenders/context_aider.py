"""aider's map of a repository: what a person would add to the chat, and the map of the rest.

The map's cache lies in the project, as aider has it. Tokens are counted as Clew estimates them.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

from aider.repomap import RepoMap


class Model:
    """Counts tokens; nothing else is asked of it."""

    def token_count(self, text: str) -> int:
        return -(-len(text.encode()) // 3)


class Files:
    """Reads files, and says nothing."""

    def read_text(self, name: str) -> str:
        return Path(name).read_text("utf-8", "replace")

    def tool_output(self, *_: str) -> None:
        """Say nothing."""

    tool_warning = tool_error = tool_output


MODEL = Model()

for line in sys.stdin:
    question = json.loads(line)
    root, paths, told = Path(question["root"]), question["paths"], question["told"]
    began = time.perf_counter()
    names = Counter(Path(path).name for path in paths)
    words = set(re.split(r"[\s:()\"'`,]+", told))
    mentioned = {
        path
        for path in paths
        if path in words or (names[Path(path).name] == 1 and Path(path).name in words)
    }
    left = question["budget"] - MODEL.token_count(told)
    chat = []
    for path in dict.fromkeys((*question["tests"], *sorted(mentioned))):
        cost = MODEL.token_count((root / path).read_text("utf-8", "replace"))
        if path in paths and cost < left * 0.75:
            chat.append(path)
            left -= cost
    chosen = RepoMap(map_tokens=max(1024, left), root=str(root), main_model=MODEL, io=Files())
    text = chosen.get_repo_map(
        [str(root / path) for path in chat],
        [str(root / path) for path in paths if path not in chat],
        mentioned_fnames=mentioned,
        mentioned_idents=set(re.split(r"\W+", told)),
    )
    took = time.perf_counter() - began
    shown = {path: (root / path).read_text("utf-8", "replace") for path in chat}
    for part in re.split(r"\n(?=\S[^\n]*\n|\S[^\n]*$)", text or ""):
        head, _, rest = part.partition("\n")
        if head.rstrip(":") in paths:
            shown[head.rstrip(":")] = rest
    print(json.dumps({"seconds": took, "shown": shown, "whole": chat}), flush=True)
