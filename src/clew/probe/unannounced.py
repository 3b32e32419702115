"""A disguised run under pytest: no variable names the test at work; its call may be disguised, too.

Where that is asked for, tests are called under another name from a bare thread, and the files that
a fix changed are loaded from one: there the stack shows no runner.
"""

from __future__ import annotations

import contextvars
import importlib
import threading
import types
from typing import Any, Callable, Dict, List

import _pytest.runner
import pytest

from .disguise import PLAIN, forget_variables

__all__ = ["Unannounced"]

NOT_PLAIN = 0x2A0  # flags of code: a generator, a coroutine, or both


class Unannounced:
    """The plug-in that does it."""

    def __init__(self, words: Dict[str, Any]) -> None:
        self.alone = bool(words.get("alone"))
        self.modules: List[str] = list(words.get("modules") or ())
        if hasattr(_pytest.runner, "_update_current_test_var"):
            vars(_pytest.runner)["_update_current_test_var"] = silent

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        """By now pytest has read its variables; it sets none again."""
        forget_variables()

    def pytest_sessionstart(self) -> None:
        if self.alone:
            for name in self.modules:
                apart(load, name)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: Any) -> None:
        function = getattr(pyfuncitem.obj, "__func__", pyfuncitem.obj)
        if not self.alone or not isinstance(function, types.FunctionType):
            return
        if function.__code__.co_flags & NOT_PLAIN:
            return
        bound = getattr(pyfuncitem.obj, "__self__", None)
        other = renamed(function)

        def call(**given: Any) -> Any:
            return apart(other, *([] if bound is None else [bound]), **given)

        pyfuncitem.obj = call


def silent(*_: Any) -> None:
    """Say nothing."""


def load(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception:  # noqa: BLE001  # whoever needs it will see for himself
        return


def renamed(function: Any) -> types.FunctionType:
    code = function.__code__.replace(co_name="main", co_filename=PLAIN)
    other = types.FunctionType(
        code, function.__globals__, "main", function.__defaults__, function.__closure__
    )
    other.__kwdefaults__ = function.__kwdefaults__
    return other


def apart(function: Callable[..., Any], *words: Any, **more: Any) -> Any:
    """Call a function in a thread of its own, and answer as it does."""
    answer: List[Any] = []
    error: List[BaseException] = []
    context = contextvars.copy_context()

    def main() -> None:
        try:
            answer.append(context.run(function, *words, **more))
        except BaseException as raised:  # noqa: BLE001  # it is raised again where it belongs
            error.append(raised)

    thread = threading.Thread(target=renamed(main))
    thread.start()
    thread.join()
    if error:
        raise error[0]
    return answer[0]
