"""One search for a repair: asked in the project's interpreter, confined, read back as facts."""

from __future__ import annotations

import contextlib
import functools
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

import msgspec
from msgspec.structs import replace

from clew.agents.repair.records import Account, Found, FoundReach, Suspicion, read, tick_of
from clew.analysis.tampering.answers import given_away
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.runners import Site, apart, deploy
from clew.runners.commands import recognise
from clew.sandbox import processes
from clew.sandbox.confinement import Confined, Level, confine
from clew.sandbox.processes import Completed
from clew.sandbox.temporary import passing, walk
from clew.words.edits import EditMisfit, apply
from clew.words.encodings import Unreadable, decoded
from clew.words.errors import AgentFailed
from clew.words.facts import (
    Candidate,
    CandidatePart,
    EarlierText,
    Edit,
    Findings,
    Parting,
    Reach,
    Runner,
    Suspect,
    TestCommand,
    Tick,
)

__all__ = ["search"]

GRACE = 30.0  # beyond its own cap, before the search is killed
FILES = 20_000  # looked at for files that may be edited
LEFT_OUT = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})
MEMORY = 1 << 30  # bytes that one candidate may take on top of what the tests need
WORKERS = 2
TEST_TIMEOUT = 10.0
TRIED = 4 << 20  # bytes of what was tried in vain
WITH_ALL = ", counting alike ones and those that cannot be kept"


def search(  # the parts of a session's call, by name
    site: Site,
    command: TestCommand,
    failing: Sequence[str],
    *,
    seconds: float,
    scratch: Path,
    forbidden: Iterable[str] = (),
    refused: Iterable[Iterable[tuple[str, str]]] = (),
    earlier: Iterable[EarlierText] = (),
    first_bad: str = "",
    given: Iterable[tuple[str, str]] = (),
    last: bool = False,
    ground: str = "",
    named: tuple[str, ...] = (),
    tick: Callable[[Tick], None] = lambda _: None,
    extra: Sequence[str] = (),
    workers: int = WORKERS,
    level: Level | None = None,
) -> Findings:
    """Search for patches of the project's code, never of its tests, best first.

    Nothing on the site changes. Where tests cannot do without writing there, and nothing was found
    so, they are searched with in a copy, unless the worktree is too big for one. `forbidden` holds
    hashes of patches that are not to be found again; `refused` has the files that such changes
    make, so that nothing that does the same is found either. `earlier` holds older texts of files,
    `first_bad` is the commit that made the tests fail, if that is known: its lines come first.
    `named` is what a run told of the names of tests. `given` is a change that is known, as the
    files that it makes: it comes first, if it passes here, and the others are likelier ones that
    pass in its place. With
    `last` it goes on once more where tests load again and others are still red, since nothing else
    will. What an earlier search with the same `scratch` tried in vain on the same `ground` (a name
    of the code, and of what may have changed around it), if that is told, is not tried again, but
    for the likeliest. The search ends when good candidates are found, when none is left, or after
    `seconds`. Raises AgentFailed when it could not be run at all.
    """
    if not command.runner.python:
        one_fact = command.runner is Runner.COMMAND
        why = "the tests are one fact a run" if one_fact else "it knows only Python"
        return Findings(notes=(f"no search: {why}",))
    began = time.monotonic()
    scratch.mkdir(parents=True, exist_ok=True)
    words: dict[str, object] = {
        "runner": command.runner.value,
        "failing": list(failing),
        "forbidden": sorted(forbidden),
        "refused": [list(files) for files in refused],
        "earlier": [(each.path, each.commit, each.text) for each in earlier],
        "first_bad": first_bad,
        "given": list(given),
        "last": last,
        "workers": workers,
    }
    search_in = functools.partial(
        _asked,
        command=command,
        extra=extra,
        named=named,
        tick=tick,
        level=level,
        words=words,
        ground=ground,
    )
    with passing("search-", scratch) as folder:
        account = search_in(site, folder, seconds=seconds, writable=False)
        left = seconds - (time.monotonic() - began)
        denied = account.done is not None and account.done.denied
        if denied and left > 0 and not any(found.complete for found in account.found):
            copy = apart(site, folder / "tree")
            if copy is not None:
                account = search_in(copy, folder, seconds=left, writable=True)
    return _findings(site, account, frozenset(failing), named, time.monotonic() - began)


def _asked(  # what one search in a process of its own takes
    site: Site,
    folder: Path,
    *,
    command: TestCommand,
    seconds: float,
    writable: bool,
    extra: Sequence[str],
    named: tuple[str, ...],
    tick: Callable[[Tick], None],
    level: Level | None,
    words: dict[str, object],
    ground: str,
) -> Account:
    """Search once, with the code read-only or not. Raises AgentFailed when it could not be run."""
    out = folder / ("out-writing" if writable else "out")
    out.mkdir()
    entry = deploy(folder.parent)
    meant = recognise(command.argv)
    argv = [
        command.interpreter or "python3",
        *meant.options,
        *(str(entry), "search", str(folder / "request.json")),
    ]
    policy = msgspec.structs.replace(
        site.policy(visible=(entry.parents[1], folder), writable=(out,), given=meant.environment),
        writable=writable,
        network=False,
    )
    confined = confine(argv, policy, level)
    vain, known = folder / "vain", folder.parent / f"vain-{out.name}"
    with contextlib.suppress(OSError):  # whoever knows nothing of it tries all
        shutil.copyfile(known, vain)
    environment = sorted({**site.env, **meant.environment}.items())
    state = repr((ground, writable, command.argv, extra, environment))
    request = {
        **words,
        **_words(site, confined, out, named),
        "vain": (str(vain), state) if ground else None,
        "args": [*meant.arguments, *extra],
        "as_module": meant.as_module,
        "seconds": seconds,
    }
    (folder / "request.json").write_bytes(msgspec.json.encode(request))
    done = processes.run(
        confined.argv,
        cwd=confined.cwd,
        env=site.environment(confined, meant.environment),
        timeout=seconds + GRACE,
        on_stdout_line=lambda line: _report(line, tick),
        bounds=confined.bounds,
    )
    account = read(out / "results.jsonl")
    _keep(out / "vain", known)
    if account.done is None and not account.found:
        raise AgentFailed(
            f"the search for a repair ended early: {_last_words(done)}",
            kind="timeout" if done.timed_out else "error",
            hint="run the tests once by hand; if they run, please report this",
        )
    return account


def _keep(tried: Path, known: Path) -> None:
    """Keep what was tried in vain, if it is what a search writes."""
    with contextlib.suppress(OSError):
        about = tried.lstat()
        if stat.S_ISREG(about.st_mode) and about.st_size <= TRIED:
            tried.replace(known)


def _words(site: Site, confined: Confined, out: Path, named: tuple[str, ...]) -> dict[str, object]:
    root = site.root if confined.sees_target else site.worktree
    covered = [str(root / o.target.relative_to(site.root)) for o in site.overlays]
    return {
        "root": str(root),
        "cwd": str(confined.inside),
        "skip": [*covered, *(str(overlay.source) for overlay in site.overlays)],
        "editable_files": _editable(site.worktree, named),
        "memory": MEMORY,
        "test_timeout": TEST_TIMEOUT,
        "results": str(out / "results.jsonl"),
        "scratch": str(out),
    }


def _editable(worktree: Path, named: tuple[str, ...]) -> list[str]:
    """Return the Python files of the project that are neither tests nor their configuration."""
    found: list[str] = []
    for folder, folders, names in walk(worktree):
        folders[:] = sorted(n for n in folders if n not in LEFT_OUT and not n.startswith("."))
        for name in sorted(names):
            path = Path(folder, name).relative_to(worktree).as_posix()
            if name.endswith(".py") and _may_change(path, named):
                found.append(path)
        if len(found) > FILES:
            break
    return found


def _may_change(path: str, named: tuple[str, ...]) -> bool:
    pure = PurePosixPath(path)
    inside = not pure.is_absolute() and ".." not in pure.parts
    return inside and not is_test_path(path, named) and not is_test_config(path)


def _report(line: bytes, tick: Callable[[Tick], None]) -> None:
    told = tick_of(line)
    if told is not None:
        tick(told)


def _last_words(done: Completed) -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if done.timed_out:
        return "its time was up"
    if done.over_limit:
        return done.over_limit
    return lines[-1][:500] if lines else f"exit code {done.exit_code}"


def _findings(
    site: Site,
    account: Account,
    failing: frozenset[str],
    named: tuple[str, ...],
    seconds: float,
) -> Findings:
    done = account.done
    notes = list(done.notes) if done else ["the search ended before it had said all"]
    candidates: list[Candidate] = []
    refused = 0
    best = account.found[0] if account.found else None
    for found in account.found:
        candidate = _candidate(found)
        reason = _refusal(site.worktree, candidate, failing, named)
        if reason:
            best = None if found is best else best  # what the others part from
            refused += candidate.complete
            notes.append(f"left out “{candidate.description}”: {reason}")
        else:
            candidates.append(candidate)
    if best is None:
        candidates = [replace(each, parting=None) for each in candidates]
    if account.unread:
        notes.append(f"{account.unread} lines of the search could not be read")
    return Findings(
        candidates=tuple(candidates),
        suspects=tuple(
            _suspect(s, kept=bool(candidates))
            for s in account.suspicions
            if _may_change(s.path, named)
        ),
        reach=tuple(_reach(r) for r in account.reached if _may_change(r.path, named)),
        made=done.made if done else 0,
        tried=done.tried if done else 0,
        seconds=seconds,
        families=dict(done.families) if done else {},
        exhausted=bool(done and done.exhausted),
        refused=refused,
        notes=tuple(notes),
    )


def _candidate(found: Found) -> Candidate:
    parting = found.parting
    return Candidate(
        description=found.description,
        family=found.family,
        path=found.path,
        line=found.line,
        function=found.function,
        edits=tuple(
            Edit(path=e.path, line=e.line, current=e.current, should_be=e.should_be)
            for e in found.edits
        ),
        turns_green=tuple(found.turns_green),
        still_red=tuple(found.still_red),
        complete=found.complete,
        score=found.score,
        inputs=found.inputs,
        parts=msgspec.convert(found.parts, tuple[CandidatePart, ...], from_attributes=True),
        parting=Parting(**dict(zip(Parting.__struct_fields__, parting, strict=True)))
        if parting
        else None,
        witness=found.witness,
        against=found.against,
    )


def _refusal(
    worktree: Path, candidate: Candidate, failing: frozenset[str], named: tuple[str, ...]
) -> str:
    """Say why a candidate cannot be used; nothing if it can."""
    if not candidate.edits or not all(_may_change(edit.path, named) for edit in candidate.edits):
        return "it changes what is not the project's code"
    if failing and not failing & set(candidate.turns_green):
        return "it turns no failing test green"
    sources: dict[str, str] = {}
    for path in {edit.path for edit in candidate.edits}:
        file = worktree / path
        if not file.resolve().is_relative_to(worktree.resolve()) or not file.is_file():
            return f"{path} is not a file of the project"
        try:
            sources[path] = decoded(path, file.read_bytes()).removeprefix("\ufeff")
        except Unreadable as error:
            return f"{path} cannot be read: {error}"
    try:
        mended = apply(sources, candidate.edits)
    except EditMisfit as error:
        return str(error)
    told = (each for path, text in mended.items() for each in given_away(sources[path], text, ()))
    return next((each.words for each in told), "")


def _reach(reached: FoundReach) -> Reach:
    return Reach(
        path=reached.path,
        tests=tuple(reached.tests),
        groups=tuple((tuple(lines), tuple(places)) for lines, places in reached.groups),
    )


def _suspect(suspicion: Suspicion, *, kept: bool) -> Suspect:
    """Say why a line is suspected; `kept` tells whether any change that was found can be kept."""
    reasons: list[str] = []
    if suspicion.ochiai:
        reasons.append(f"failing tests run it, passing ones less (Ochiai {suspicion.ochiai:.2f})")
    if suspicion.flips:
        times = "one change" if suspicion.flips == 1 else f"{suspicion.flips} changes"
        but = ", and cannot be kept"
        if kept:
            but = "" if suspicion.flips == 1 else WITH_ALL
        reasons.append(f"{times} here made a failing test pass{but}")
    if suspicion.brought:
        reasons.append("the first bad commit brought it")
    return Suspect(
        path=suspicion.path,
        line=suspicion.line,
        function=suspicion.function,
        score=max(0.0, min(1.0, suspicion.score)),
        reasons=tuple(reasons),
    )
