"""LangGraph with its SQLite checkpointer: a node a task, on the disk before the next superstep."""

from __future__ import annotations

import itertools
import operator
import sqlite3
import sys
import time
from pathlib import Path
from typing import Annotated, TypedDict

from dag import waits
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from serving import serve

folder = Path(sys.argv[1])
connection = sqlite3.connect(folder / "checkpoints.db", check_same_thread=False)
saver = SqliteSaver(connection)
saver.setup()  # which sets WAL, as Clew's journal does
connection.execute("PRAGMA synchronous=FULL")
numbers = itertools.count(1)


class Done(TypedDict):
    """What was done so far."""

    done: Annotated[list[int], operator.add]


def schedule(count: int) -> float:
    graph = StateGraph(Done)
    tasks = waits(count)
    for number, below in tasks.items():
        graph.add_node(str(number), lambda _, number=number: {"done": [number]})
        graph.add_edge([str(each) for each in below] if below else START, str(number))
    above = {each for below in tasks.values() for each in below}
    graph.add_edge([str(number) for number in tasks if number not in above], END)
    compiled = graph.compile(checkpointer=saver)
    config = {"configurable": {"thread_id": str(next(numbers))}, "recursion_limit": 10_000}
    began = time.perf_counter()
    result = compiled.invoke({"done": []}, config, durability="sync")
    took = time.perf_counter() - began
    if sorted(result["done"]) != list(tasks):
        raise RuntimeError(f"{len(result['done'])} of {count} tasks were done")
    return took / count


serve(schedule)
