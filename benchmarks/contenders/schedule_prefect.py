"""Prefect with a server of its own: a task a task, each result kept, in threads of one process."""

from __future__ import annotations

import sys
import time

from dag import waits
from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner
from serving import serve

SIDE_BY_SIDE = 10


@task(persist_result=True)
def nothing(number: int) -> int:
    return number


@flow(task_runner=ThreadPoolTaskRunner(max_workers=SIDE_BY_SIDE), persist_result=True)
def graph(count: int) -> list[int]:
    futures = {}
    for number, below in waits(count).items():
        futures[number] = nothing.submit(number, wait_for=[futures[each] for each in below])
    return [future.result() for future in futures.values()]


def schedule(count: int) -> float:
    began = time.perf_counter()
    result = graph(count)
    took = time.perf_counter() - began
    if sorted(result) != list(range(1, count + 1)):
        sys.exit(f"{len(result)} of {count} tasks were done")
    return took / count


serve(schedule)
