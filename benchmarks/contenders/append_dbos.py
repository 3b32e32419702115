"""DBOS on SQLite: one step a record, in one workflow; a step records what it returns."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from dbos import DBOS
from serving import serve
from sqlalchemy import event
from sqlalchemy.engine import Engine

folder, synchronous, events = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
known = [json.loads(line) for line in events.read_text().splitlines()]


@event.listens_for(Engine, "connect")
def same_durability(connection, _record):  # noqa: ANN001, ANN201 - SQLAlchemy's own shape
    """As Clew's journal has it; by itself DBOS keeps a rollback journal, which is slower."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={synchronous}")


DBOS(
    config={
        "name": "bench",
        "system_database_url": f"sqlite:///{folder}/dbos.db",
        "run_admin_server": False,
        "log_level": "ERROR",
    }
)


@DBOS.step()
def step(number: int) -> object:
    return known[number % len(known)]


@DBOS.workflow()
def steps(count: int) -> list[float]:
    took = []
    for number in range(count):
        began = time.perf_counter()
        step(number)
        took.append(time.perf_counter() - began)
    return took


DBOS.launch()
serve(steps)
