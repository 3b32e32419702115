"""LangGraph's `SqliteSaver`: put a checkpoint a step; a checkpoint holds the state after it."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
from serving import serve

folder, synchronous, states = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
connection = sqlite3.connect(folder / "checkpoints.db", check_same_thread=False)
saver = SqliteSaver(connection)
saver.setup()  # which sets WAL, as Clew's journal does
connection.execute(f"PRAGMA synchronous={synchronous}")
known = [json.loads(line) for line in states.read_text().splitlines()]
done = 0
config = {}


def put(count: int) -> list[float]:
    global done, config  # noqa: PLW0603 - the state of a script
    took = []
    for _ in range(count):
        thread, step = divmod(done, len(known))
        if step == 0:
            config = {"configurable": {"thread_id": f"session-{thread}", "checkpoint_ns": ""}}
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = known[step]
        metadata = {"source": "loop", "step": step, "parents": {}}
        began = time.perf_counter()
        config = saver.put(config, checkpoint, metadata, {})
        took.append(time.perf_counter() - began)
        done += 1
    return took


serve(put)
