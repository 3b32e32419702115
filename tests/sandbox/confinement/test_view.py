"""What a confined program sees: the code at the person's path, and its tools."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import msgspec
import pytest

from clew.sandbox.confinement import (
    Level,
    Limits,
    Overlay,
    Policy,
    clean_environment,
    complaint,
    confine,
    places,
)
from clew.sandbox.processes import Completed, run
from clew.words.errors import SandboxUnavailable
from sandbox.confinement.cell import Cell


def shell(script: str, policy: Policy, level: Level = Level.NAMESPACE) -> Completed:
    confined = confine(["/bin/sh", "-c", script], policy, level)
    return run(
        confined.argv,
        cwd=confined.cwd,
        env={**clean_environment(), **confined.env},
        timeout=30,
    )


def test_the_worktree_stands_at_the_persons_path(namespace_cell: Cell) -> None:
    """Nothing of the person's own tree is to be seen there, and what is written goes elsewhere."""
    cell = namespace_cell
    (cell.person / "only here").touch()
    done = shell("pwd; ls; cat source.py; echo new > source.py", cell.policy())

    assert f"{cell.person}\nsource.py\nworktree" == done.stdout
    assert ("person", "new\n") == (
        (cell.person / "source.py").read_text(),
        (cell.worktree / "source.py").read_text(),
    )


def test_without_a_namespace_the_code_is_where_it_is(cell: Cell) -> None:
    """The command says which: at the person's path, or in the worktree itself."""
    confined = confine(["true"], cell.policy(), cell.level)

    expected = cell.person if cell.level is Level.NAMESPACE else cell.worktree
    assert (expected, cell.level is Level.NAMESPACE) == (confined.inside, confined.sees_target)


def test_a_program_starts_in_the_folder_asked_for(cell: Cell) -> None:
    """A folder below the code is the same folder in each of its places."""
    (cell.worktree / "pkg" / "a").mkdir(parents=True)
    policy = Policy(worktree=cell.worktree, target=cell.person, writable=True, subdir="pkg/a")
    done = shell("pwd", policy, cell.level)

    assert str(confine(["true"], policy, cell.level).inside) + "\n" == done.stdout


def test_run_folders_can_be_written_to(cell: Cell) -> None:
    """A run folder is at its own path, and what is written there stays."""
    done = shell(f"echo new > {cell.run}/kept", cell.policy(writable=False), cell.level)

    assert (0, "new\n") == (done.exit_code, (cell.run / "kept").read_text())


def test_temporary_files_have_a_place(cell: Cell) -> None:
    """Python finds a folder for temporary files at every level."""
    answer = cell.attempt("import tempfile; tempfile.NamedTemporaryFile().write(b'x')")

    assert "went through" == answer


def test_a_test_runner_works_inside(cell: Cell) -> None:
    """The interpreter and its packages are visible, wherever they live."""
    (cell.worktree / "test_it.py").write_text("def test_it(tmp_path): (tmp_path / 'x').touch()")
    done = cell.python(
        "import pytest, sys; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py']))",
        packages=True,
    )

    assert "1 passed" in done.stdout, done.stderr


def test_overlays_lie_over_the_worktree(namespace_cell: Cell) -> None:
    """Ignored files of the person's are seen; read-only unless they are given to be written."""
    cell = namespace_cell
    for name in ("venv", "build"):
        (cell.person / name).mkdir()
        (cell.person / name / "marker").write_text(name)
    (cell.person / ".env").write_text("A=b")
    overlays = (
        Overlay(source=cell.person / "venv", target=cell.person / "venv"),
        Overlay(source=cell.person / ".env", target=cell.person / ".env"),
        Overlay(source=cell.person / "build", target=cell.person / "build", writable=True),
    )
    for writable in (True, False):
        done = shell(
            "cat venv/marker build/marker .env; echo new > build/new; echo new > venv/new",
            cell.policy(writable=writable, overlays=overlays),
        )

        assert ("venvbuildA=b", 2) == (done.stdout, done.exit_code)
        assert (True, False) == (
            (cell.person / "build" / "new").exists(),
            (cell.person / "venv" / "new").exists(),
        )
        (cell.person / "build" / "new").unlink()


def test_below_overlays_a_read_only_worktree_stays_read_only(namespace_cell: Cell) -> None:
    """Making room for an overlay opens nothing."""
    cell = namespace_cell
    (cell.person / "venv").mkdir()
    overlays = (Overlay(source=cell.person / "venv", target=cell.person / "venv"),)
    done = shell("echo new > source.py", cell.policy(writable=False, overlays=overlays))

    assert (2, "worktree") == (done.exit_code, (cell.worktree / "source.py").read_text())


@pytest.mark.parametrize("inner", [".env", "pkg/.env"])
def test_a_link_in_the_code_takes_no_overlay(namespace_cell: Cell, inner: str) -> None:
    """Otherwise code could choose where on this machine something is mounted."""
    cell = namespace_cell
    link = cell.worktree / inner.split("/", maxsplit=1)[0]
    link.symlink_to(cell.outside)
    overlay = Overlay(source=cell.outside / "file", target=cell.person / inner)

    with pytest.raises(SandboxUnavailable, match="symbolic link"):
        confine(["true"], cell.policy(overlays=(overlay,)), Level.NAMESPACE)


def test_what_does_not_exist_is_named(cell: Cell) -> None:
    """A missing folder is told before anything runs, at every level."""
    absent = cell.outside / "absent"
    overlay = Overlay(source=absent, target=cell.person / "absent")
    for policy in (
        cell.policy(overlays=(overlay,)),
        msgspec.structs.replace(cell.policy(), worktree=absent),
        msgspec.structs.replace(cell.policy(), subdir="absent"),
        msgspec.structs.replace(cell.policy(), writable_paths=(absent,)),
    ):
        with pytest.raises(SandboxUnavailable, match="absent does not exist"):
            confine(["true"], policy, cell.level)


def test_visible_paths_may_be_links(namespace_cell: Cell, tmp_path: Path) -> None:
    """Both ends of a link are seen, and every link on the way."""
    cell = namespace_cell
    (tmp_path / "first").symlink_to("second/..//second")
    (tmp_path / "second").symlink_to(cell.tools)
    policy = Policy(
        worktree=cell.worktree,
        target=cell.person,
        writable=False,
        visible=(tmp_path / "first" / "tool",),
    )
    done = shell(f"cat {tmp_path}/first/tool {tmp_path}/second/tool {cell.tools}/tool", policy)

    assert ("tool" * 3, "") == (done.stdout, done.stderr)


def test_the_persons_path_may_be_a_link(namespace_cell: Cell, tmp_path: Path) -> None:
    """Code that is reached through a link is reached through the same link inside."""
    cell = namespace_cell
    (tmp_path / "link").symlink_to(cell.person)
    (cell.worktree / "sub").mkdir()
    policy = Policy(worktree=cell.worktree, target=tmp_path / "link", writable=False, subdir="sub")
    done = shell(f"cat ../source.py {tmp_path}/link/source.py {cell.person}/source.py", policy)

    assert ("worktree" * 3, "") == (done.stdout, done.stderr)


def test_a_visible_path_does_not_uncover_a_whole_hidden_place(namespace_cell: Cell) -> None:
    """An environment made in the home itself does not show the home."""
    cell = namespace_cell
    policy = Policy(
        worktree=cell.worktree,
        target=cell.person,
        writable=False,
        visible=(Path("/tmp"), Path("/")),  # noqa: S108 - what is hidden
    )
    done = shell(f"ls /tmp; cat {cell.outside}/file", policy)

    assert (False, 1) == ("outside" in done.stdout, done.exit_code)


def test_inner_paths_are_not_covered_by_outer_ones(namespace_cell: Cell) -> None:
    """The order in which paths are named does not matter."""
    cell = namespace_cell
    inner = cell.tools / "inner"
    inner.mkdir()
    for visible in ((inner, cell.tools), (cell.tools, inner)):
        policy = Policy(
            worktree=cell.worktree,
            target=cell.person,
            writable=False,
            visible=visible,
            writable_paths=(inner,),
        )
        done = shell(f"cat {cell.tools}/tool && touch {inner}/new", policy)

        assert ("tool", 0, "") == (done.stdout, done.exit_code, done.stderr)


def test_the_home_variable_keeps_its_value(cell: Cell) -> None:
    """Programs find a home by its name; it is a private one, or closed."""
    done = shell('echo "$HOME"', cell.policy(), cell.level)

    assert os.environ["HOME"] + "\n" == done.stdout


def test_only_what_every_user_may_read_is_seen_of_the_systems_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file for root and a group is closed, and a folder that others may not pass, as a whole."""
    for name, mode in (("passwd", 0o644), ("shadow", 0o640), ("ssl/own.key", 0o600)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch(mode)
        (tmp_path / name).chmod(mode)
    (tmp_path / "private" / "below").mkdir(parents=True)
    (tmp_path / "private").chmod(0o710)
    (tmp_path / "link").symlink_to("shadow")
    monkeypatch.setattr(places, "SETTINGS", tmp_path)
    found = places.closed.__wrapped__()

    assert ["private", "shadow", "ssl/own.key"] == sorted(
        str(path.relative_to(tmp_path)) for path in found
    )


def test_settings_that_go_while_they_are_looked_at_are_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Other programs change the system's settings at any time."""
    for name in ("gone", "shadow"):
        (tmp_path / name).touch(0o600)
    scandir = os.scandir

    def listed(folder: Path) -> contextlib.AbstractContextManager[list[os.DirEntry[str]]]:
        with scandir(folder) as found:
            entries = list(found)
        (tmp_path / "gone").unlink()
        return contextlib.nullcontext(entries)

    monkeypatch.setattr(places, "SETTINGS", tmp_path)
    monkeypatch.setattr(os, "scandir", listed)

    assert (tmp_path / "shadow",) == places.closed.__wrapped__()


def test_what_is_closed_can_be_named(cell: Cell) -> None:
    """By its own name, not by that of a folder around it."""
    closed = next((path for path in places.closed() if path.is_file() and path.read_bytes()), None)
    if closed is None or os.geteuid() != 0:
        return  # an ordinary user cannot read it in any case
    for visible, code in (((), 1), ((closed.parent,), 1), ((closed,), 0)):
        policy = msgspec.structs.replace(cell.policy(), visible=visible)
        done = shell(f'test -n "$(cat {closed})"', policy, cell.level)

        assert code == done.exit_code, done.stderr


def test_of_the_machine_the_system_alone_is_seen(namespace_cell: Cell) -> None:
    """What lies at the root beside it is not there, and nothing can be made there."""
    done = shell("ls /; mkdir /new", namespace_cell.policy(), Level.NAMESPACE)
    system = {name.split("/")[1] for name in places.SYSTEM}
    own = {path.parts[1] for path in (Path.home(), Path(sys.prefix), Path(sys.base_prefix))}

    assert set(done.stdout.split()) <= system | own | {"dev", "proc", "run", "tmp"}
    assert 1 == done.exit_code


def test_a_program_on_the_path_is_seen_with_what_is_installed_with_it(
    cell: Cell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also one that is only linked from there; a whole project around one is not."""
    monkeypatch.setattr(places, "SHARED", ("/run",))
    for name in ("kit/bin/tool", "kit/lib/part", "far/bin/more", "far/share/part"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in ("project/bin/run", "project/lib/code", "project/.git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "kit/bin/more").symlink_to(tmp_path / "far/bin/more")
    path = f"{tmp_path}/kit/bin:{tmp_path}/project/bin:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    seen = ("kit/lib/part", "kit/bin/more", "far/share/part", "project/bin/run")
    unseen = ("project/lib/code",)
    for name in (*seen, *unseen):
        done = shell(f"cat {tmp_path}/{name}", cell.policy(), cell.level)

        assert (name in seen) is (done.exit_code == 0), (name, done.stderr)


def test_a_folder_of_the_code_on_the_path_is_the_worktrees(
    namespace_cell: Cell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is changed there is what runs, as everywhere in the code."""
    cell = namespace_cell
    monkeypatch.setattr(places, "SHARED", ("/run",))
    for tree in (cell.person, cell.worktree):
        (tree / "bin").mkdir()
        (tree / "bin" / "tool").write_text(tree.name)
    monkeypatch.setenv("PATH", f"{cell.person}/bin:{os.environ['PATH']}")

    done = shell("cat bin/tool", cell.policy())

    assert cell.worktree.name == done.stdout


def test_every_home_is_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The one of the environment, through links, and the one of the user database."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))

    assert home in places.hidden()


@pytest.mark.parametrize("home", ["/", "/usr", "/usr/sbin", "/var", "/proc", "", "relative"])
def test_what_the_system_needs_is_no_home(monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    """System accounts are said to live in strange places; those stay visible."""
    monkeypatch.setenv("HOME", home)

    assert Path(home).resolve() not in places.hidden()


@pytest.mark.parametrize("command", ["no-such-program", "/no/such/program"])
def test_a_missing_command_is_the_sandboxs_complaint(cell: Cell, command: str) -> None:
    """It did not run, and what was said is not the command's own word."""
    confined = confine([command], cell.policy(), cell.level)
    done = run(confined.argv, cwd=confined.cwd, env=clean_environment(), timeout=30)

    assert command in complaint(done)


def test_a_command_that_fails_is_no_complaint(cell: Cell) -> None:
    """The program ran: what it says is its own word."""
    assert "" == complaint(shell("echo bad >&2; exit 1", cell.policy(), cell.level))


def test_exit_codes_pass_through(cell: Cell) -> None:
    """What the command ends with is what the caller gets."""
    assert 7 == shell("exit 7", cell.policy(), cell.level).exit_code


def test_without_confinement_there_are_still_limits(tmp_path: Path) -> None:
    """The weakest level bounds what a program consumes."""
    policy = Policy(
        worktree=tmp_path, target=tmp_path, writable=True, limits=Limits(file_bytes=1000)
    )
    script = f'{sys.executable} -c \'open("big", "wb").write(b"x" * 5000)\''
    shell(script, policy, Level.NONE)

    assert 1000 == (tmp_path / "big").stat().st_size


def test_an_environment_is_built_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Home, locale, path, terminal and user come along; the rest must be named."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": "/home/me",
        "LC_ALL": "C.UTF-8",
        "PATH": "/opt/bin:bin::/usr/bin",
        "GITHUB_TOKEN": "hunter2",
        "VIRTUAL_ENV": "/elsewhere",
        "TMPDIR": "/scratch",
    }.items():
        monkeypatch.setenv(name, value)

    assert {
        "HOME": "/home/me",
        "LC_ALL": "C.UTF-8",
        "PATH": "/opt/bin:/usr/bin",
        "TMPDIR": "/tmp",  # noqa: S108
        "API_KEY": "needed",
    } == clean_environment({"API_KEY": "needed"})
