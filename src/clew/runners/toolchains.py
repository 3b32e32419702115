"""What the tools of other languages need to work confined and offline.

What a person has downloaded and installed is seen, read-only; what is built goes into folders of
the session, one set for each worktree: no build of one tree is taken for that of another.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment, installation
from clew.sandbox.temporary import remove
from clew.words.errors import CommandNotFound
from clew.words.facts import Runner, TestCommand

__all__ = ["Toolchain", "forget", "toolchain"]

TIMEOUT = 30.0
BUILDS = "builds"


class Toolchain(msgspec.Struct, frozen=True, kw_only=True):
    """What one worktree's runs see beside the code, may write to, and are told."""

    visible: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    environment: dict[str, str] = {}


def toolchain(command: TestCommand, worktree: Path, scratch: Path) -> Toolchain:
    """Return what the command's tools need; its own folders exist."""
    if command.runner.python:
        return Toolchain()
    tools = [TOOLS[command.runner]] if command.runner in TOOLS else []
    if command.runner in (Runner.COMMAND, Runner.JUNIT):
        tools = list(dict.fromkeys(TOOLS.values()))  # a script may call any of them
    builds = _builds(scratch, worktree)
    builds.mkdir(parents=True, exist_ok=True)
    found = [tool(builds) for tool in tools]
    # A script may look for what it builds where it always is; cargo itself is asked where.
    own = {"CARGO_TARGET_DIR": str(builds / "target")} if command.runner is Runner.CARGO else {}
    return Toolchain(
        visible=tuple(path for each in found for path in each.visible),
        writable=(builds,),
        environment={k: v for each in found for k, v in each.environment.items()} | own,
    )


def forget(scratch: Path, worktree: Path) -> None:
    """Remove what was built for a worktree, so that another in its place starts from nothing."""
    with contextlib.suppress(OSError):
        remove(_builds(scratch, worktree))


def _builds(scratch: Path, worktree: Path) -> Path:
    return scratch / BUILDS / hashlib.sha256(os.fsencode(worktree)).hexdigest()[:16]


def _go(builds: Path) -> Toolchain:
    """Go asks the network for nothing; modules are those that are downloaded already."""
    known = _asked("go", "env", "GOROOT", "GOMODCACHE", "GOFLAGS", "GOVERSION")
    if len(known) < 4:  # noqa: PLR2004 - not installed, or silent
        return Toolchain()
    root, modules, flags, version = known
    # The worktree's repository is not where git looks for it.
    stamped = not version.startswith(tuple(f"go1.{minor}" for minor in ("16", "17")))
    return Toolchain(
        visible=(Path(root), Path(modules)),
        environment={
            "GOCACHE": str(builds / "go"),
            "GOFLAGS": f"{flags} -buildvcs=false".strip() if stamped else flags,
            "GOMODCACHE": modules,
            "GOPROXY": "off",
            "GOSUMDB": "off",
            "GOTOOLCHAIN": "local",
        },
    )


def _rust(builds: Path) -> Toolchain:
    """Cargo gets a home of its own, with the crates that are downloaded already."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    rustup = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    own = builds / "cargo"
    crates = [home / below for below in ("registry/index", "registry/cache", "git/db")]
    for source in (path for path in crates if path.is_dir()):
        link = own / source.relative_to(home)
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(source)
    environment = {
        "CARGO_HOME": str(own),
        "CARGO_NET_OFFLINE": "true",
    }
    if rustup.is_dir():
        environment["RUSTUP_HOME"] = str(rustup)
    if "RUSTUP_TOOLCHAIN" in os.environ:
        environment["RUSTUP_TOOLCHAIN"] = os.environ["RUSTUP_TOOLCHAIN"]
    return Toolchain(
        visible=tuple(path for path in (*crates, home / "bin", rustup) if path.is_dir()),
        environment=environment,
    )


def _javascript(builds: Path) -> Toolchain:
    node = shutil.which("node")
    return Toolchain(
        visible=installation(Path(node).resolve()) if node else (),
        environment={
            "npm_config_audit": "false",
            "npm_config_cache": str(builds / "npm"),
            "npm_config_fund": "false",
            "npm_config_offline": "true",
            "npm_config_update_notifier": "false",
        },
    )


@functools.cache
def _asked(*words: str) -> tuple[str, ...]:
    """Ask a person's own tool about itself, once, outside the project; a line an answer."""
    keep: Mapping[str, str] = {
        name: os.environ[name] for name in ("GOFLAGS", "GOPATH", "GOROOT") if name in os.environ
    }
    try:
        done = processes.run(
            words, cwd=Path("/"), env=clean_environment(keep), timeout=TIMEOUT, cap=10_000
        )
    except CommandNotFound:
        return ()
    return tuple(done.stdout.splitlines()) if done.exit_code == 0 else ()


TOOLS: Mapping[Runner, Callable[[Path], Toolchain]] = {
    Runner.GO: _go,
    Runner.CARGO: _rust,
    Runner.NODE: _javascript,
    Runner.JEST: _javascript,
    Runner.VITEST: _javascript,
}
