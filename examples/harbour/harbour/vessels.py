"""Ships as they announce themselves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Vessel:
    """A ship; length and draught in metres."""

    name: str
    length: float
    draught: float
    cargo: str = "general"

    @property
    def hazardous(self) -> bool:
        return self.cargo in {"fuel", "chemicals"}


def parse_announcement(line: str) -> Vessel:
    """Read `name; length; draught[; cargo]`, as the radio operator types it."""
    fields = [field.strip() for field in line.split(";")]
    if len(fields) not in (3, 4) or not fields[0]:
        raise ValueError(f"not an announcement: {line!r}")
    name, length, draught = fields[:3]
    cargo = fields[3].lower() if len(fields) == 4 else "general"
    return Vessel(name, float(length), float(draught), cargo)
