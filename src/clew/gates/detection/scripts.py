"""Scripts of a package.json that lint, check types or build. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from clew.words.gates import GateCommand, GateKind

__all__ = ["MANIFEST", "scripts_in"]

MANIFEST = "package.json"
_KINDS = {
    "lint": GateKind.LINT,
    "typecheck": GateKind.TYPES,
    "type-check": GateKind.TYPES,
    "check-types": GateKind.TYPES,
    "types": GateKind.TYPES,
    "tsc": GateKind.TYPES,
    "build": GateKind.BUILD,
}
_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
}


def scripts_in(
    texts: Mapping[str, str], files: Collection[str], folder: str
) -> Iterator[GateCommand]:
    """Yield a gate for each script that has such a name; the lock file tells who runs them."""
    try:
        manifest = json.loads(texts.get(MANIFEST, ""))
    except (ValueError, RecursionError):
        return
    scripts = manifest.get("scripts") if isinstance(manifest, dict) else None
    if not isinstance(scripts, dict):
        return
    above = f"{folder}/" if folder else ""
    runner = next((tool for lock, tool in _LOCKS.items() if f"{above}{lock}" in files), "npm")
    for name, kind in _KINDS.items():
        if isinstance(script := scripts.get(name), str) and script.strip():
            yield GateCommand(
                name=f"{runner}:{name}",
                kind=kind,
                argv=(runner, "run", name),
                folder=folder,
                source=MANIFEST,
                definition=script,
            )
