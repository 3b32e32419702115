"""The form of an answer as a schema that services hold a model to.

They take a part of JSON Schema: every property is required, none may be added, a reference stands
alone, the root is an object itself. So a model fills in what a reply may leave out.
"""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["strict"]

# What they do not take, or what says nothing where every property is required.
LEFT_OUT = frozenset({"default", "minLength", "maxLength"})
# What only Clew can know: a model would make it up.
NOT_ASKED = frozenset({"usage"})


def strict(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the strict schema of a reply of that kind; what fits it fits `kind`."""
    whole = _strict(msgspec.json.schema(kind))
    definitions: dict[str, Any] = whole.pop("$defs")
    root: dict[str, Any] = definitions.pop(kind.__name__)
    used = str(root) + str(definitions)
    kept = {name: each for name, each in definitions.items() if f"#/$defs/{name}'" in used}
    return root | ({"$defs": kept} if kept else {})


def _strict(part: Any) -> Any:  # noqa: ANN401 -- JSON
    if isinstance(part, list):
        return [_strict(each) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part and "$defs" not in part:
        return {"$ref": part["$ref"]}
    kept = {name: _strict(each) for name, each in part.items() if name not in LEFT_OUT}
    if "enum" in kept:
        kept.setdefault("type", "string")
    if "properties" in kept:
        asked = {name: p for name, p in kept["properties"].items() if name not in NOT_ASKED}
        kept |= {"properties": asked, "required": list(asked), "additionalProperties": False}
    return kept
