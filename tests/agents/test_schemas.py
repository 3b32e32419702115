"""Schemas that services hold a model to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from clew.agents.replies import DiagnosisReply, FixReply, PlanReply
from clew.agents.roles import ROLES
from clew.agents.schemas import strict


def parts(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for each in schema.values():
            yield from parts(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from parts(each)


@pytest.mark.parametrize("kind", dict.fromkeys(role.reply for role in ROLES.values()))
def test_every_property_is_required_and_none_may_be_added(kind: type[msgspec.Struct]) -> None:
    """Else a service refuses the schema, and with it every call."""
    schema = strict(kind)
    assert "object" == schema["type"]
    for part in parts(schema):
        if isinstance(part.get("properties"), dict):
            assert (list(part["properties"]), False) == (
                part["required"],
                part["additionalProperties"],
            )
        if "$ref" in part:
            assert ["$ref"] == list(part)
            assert part["$ref"].rpartition("/")[2] in schema["$defs"]
        if isinstance(part.get("enum"), list):
            assert "string" == part["type"]
    banned = {"default", "minLength", "usage"}
    assert not banned & {name for part in parts(schema) for name in part}


def filled(part: dict[str, Any], definitions: dict[str, Any]) -> object:
    """The least that fits a schema."""
    if "$ref" in part:
        return filled(definitions[part["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in part:
        return filled(part["anyOf"][-1], definitions)
    if "enum" in part:
        return part["enum"][0]
    if part["type"] == "object":
        return {name: filled(each, definitions) for name, each in part["properties"].items()}
    if "minItems" in part:
        return [filled(part["items"], definitions)] * part["minItems"]
    least: dict[str, object] = {"array": [], "boolean": False, "null": None, "string": "x"}
    return least[part["type"]]


@pytest.mark.parametrize("kind", [DiagnosisReply, FixReply, PlanReply])
def test_what_fits_the_schema_fits_the_reply(kind: type[msgspec.Struct]) -> None:
    """It asks for no more than is read."""
    schema = strict(kind)
    msgspec.convert(filled(schema, schema.get("$defs", {})), kind)
