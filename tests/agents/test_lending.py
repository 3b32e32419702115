"""A login is lent, and comes back only as a login."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clew.agents import login_copy as login_copy_module
from clew.agents.claude import Claude
from clew.agents.cli_agent import CliAgent
from clew.agents.codex import Codex
from clew.agents.gemini import Gemini
from clew.agents.login_copy import Loan, lent, looks_like
from clew.agents.opencode import Opencode
from clew.words.errors import AgentFailed

NAME = "home/login.json"
LOGIN = json.dumps({"claudeAiOauth": {"accessToken": "a", "refreshToken": "b", "expiresAt": 1}})


def loan(theirs: Path, folder: Path) -> AbstractContextManager[Loan]:
    return lent(theirs, folder / "own", NAME, looks_like(Claude.login))


@contextlib.contextmanager
def lending(theirs: Path, folder: Path) -> Iterator[Path]:
    with loan(theirs, folder) as lent_one:
        yield lent_one.path


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The person's login."""
    (tmp_path / "theirs").mkdir()
    path = tmp_path / "theirs" / ".credentials.json"
    path.write_text(LOGIN)
    path.chmod(0o600)
    return path


def test_a_login_is_lent_and_taken_back(theirs: Path, tmp_path: Path) -> None:
    """Nobody else may read the copy, and none is left."""
    with lending(theirs, tmp_path) as own:
        assert (LOGIN, 0o600) == (own.read_text(), own.stat().st_mode & 0o777)
    assert not own.exists()
    assert LOGIN == theirs.read_text()


def test_a_login_that_was_renewed_goes_back(theirs: Path, tmp_path: Path) -> None:
    """Else the person would be logged out by the next renewal."""
    renewed = LOGIN.replace('"a"', '"newer"')
    with lending(theirs, tmp_path) as own:
        own.write_text(renewed)
    assert (renewed, 0o600) == (theirs.read_text(), theirs.stat().st_mode & 0o777)


def test_a_login_that_was_renewed_is_taken_back_at_once(theirs: Path, tmp_path: Path) -> None:
    """Who is killed after that loses none, and who begins then is lent the new one; twice, too."""
    with loan(theirs, tmp_path) as first:
        for token in ("newer", "newest"):
            first.path.write_text(LOGIN.replace('"a"', f'"{token}"'))
            first.take_back()
            assert first.path.read_text() == theirs.read_text()
            with lending(theirs, tmp_path / "another") as other:
                assert first.path.read_text() == other.read_text()
        (tmp_path / "own" / "home" / "login.json").write_text("half of a lo")
        first.take_back()
    assert "newest" in theirs.read_text()


def test_where_nothing_was_lent_nothing_is_taken(tmp_path: Path) -> None:
    """An agent that puts a login where none was has its own, and the person none."""
    with loan(tmp_path / "none.json", tmp_path) as nothing:
        nothing.path.parent.mkdir(parents=True)
        nothing.path.write_text(LOGIN)
        nothing.take_back()
    assert not (tmp_path / "none.json").exists()


STUBS: tuple[tuple[type[CliAgent], str], ...] = (
    (Claude, '{"claudeAiOauth": {"accessToken": "", "refreshToken": "", "expiresAt": 0}}'),
    (Codex, '{"tokens": {"access_token": " ", "refresh_token": "b"}}'),
    (Gemini, '{"access_token": "a", "refresh_token": ""}'),
    (Opencode, '{"openai": {"type": "oauth", "refresh": ""}, "a": {"type": "api", "key": "k"}}'),
    (Opencode, '{"openai": {"type": "api", "key": ""}}'),
)


@pytest.mark.parametrize(("agent", "stub"), STUBS)
def test_what_an_agent_writes_when_it_is_logged_out_is_no_login(
    agent: type[CliAgent], stub: str
) -> None:
    """Its tokens are empty; it would log the person out as well."""
    assert not looks_like(agent.login)(stub.encode())


def test_a_session_that_is_logged_out_leaves_the_way_to_one_that_renewed(
    theirs: Path, tmp_path: Path
) -> None:
    """Both were lent the same login, which its provider renews only once."""
    renewed = LOGIN.replace('"a"', '"newer"')
    with loan(theirs, tmp_path / "one") as one, loan(theirs, tmp_path / "other") as other:
        one.path.write_text(renewed)
        other.path.write_text(STUBS[0][1])
        other.take_back()
        one.take_back()
    assert renewed == theirs.read_text()


def test_one_login_is_replaced_by_one_at_a_time(theirs: Path, tmp_path: Path) -> None:
    """Nobody is waited for without end: what did not go back stays for the next call."""
    renewed = LOGIN.replace('"a"', '"newer"')
    held = os.open(theirs.parent, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        with lending(theirs, tmp_path) as own:
            own.write_text(renewed)
        assert (LOGIN, renewed) == (theirs.read_text(), own.read_text())
    finally:
        os.close(held)
    with lending(theirs, tmp_path) as own:
        assert [renewed] * 2 == [theirs.read_text(), own.read_text()]


@pytest.mark.parametrize("content", ["", "[]", '{"claudeAiOauth": {}}', "evil"])
def test_what_is_no_login_does_not_go_back(theirs: Path, tmp_path: Path, content: str) -> None:
    """An agent may write anything there."""
    with lending(theirs, tmp_path) as own:
        own.write_text(content)
    assert LOGIN == theirs.read_text()


def test_a_link_in_place_of_the_login_is_not_followed(theirs: Path, tmp_path: Path) -> None:
    """Another file of the person's does not become their login."""
    (tmp_path / "other.json").write_text(LOGIN.replace('"a"', '"other"'))
    with lending(theirs, tmp_path) as own:
        own.unlink()
        own.symlink_to(tmp_path / "other.json")
    assert LOGIN == theirs.read_text()


def test_a_login_that_the_person_renewed_meanwhile_stays(theirs: Path, tmp_path: Path) -> None:
    """The newer one is theirs."""
    newest = LOGIN.replace('"a"', '"theirs"')
    with lending(theirs, tmp_path) as own:
        own.write_text(LOGIN.replace('"a"', '"renewed"'))
        theirs.write_text(newest)
    assert newest == theirs.read_text()


def test_a_link_in_place_of_the_folder_leads_nowhere(theirs: Path, tmp_path: Path) -> None:
    """A login of the person's beside the lent one is neither read nor removed."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "login.json").write_text(LOGIN.replace('"a"', '"other"'))
    with lending(theirs, tmp_path) as own:
        shutil.rmtree(own.parent)
        own.parent.symlink_to(other)
    assert LOGIN == theirs.read_text()
    assert (other / "login.json").is_file()
    with pytest.raises(AgentFailed, match="cannot be used"), lending(theirs, tmp_path):
        pass
    assert [other / "login.json"] == list(other.iterdir())


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_in_place_of_the_login_is_removed(
    theirs: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """A pipe would be waited on for ever."""
    with lending(theirs, tmp_path) as own:
        own.unlink()
        make(own)
    assert LOGIN == theirs.read_text()
    assert not own.exists()


def test_a_login_that_was_renewed_stays_the_persons(theirs: Path, tmp_path: Path) -> None:
    """Root renews one in another's home: that one reads it as before, and who else may."""
    owner = 12345 if os.geteuid() == 0 else os.geteuid()
    os.chown(theirs, owner, -1)
    theirs.chmod(0o640)
    with lending(theirs, tmp_path) as own:
        own.write_text(LOGIN.replace('"a"', '"newer"'))
    about = theirs.stat()
    assert "newer" in theirs.read_text()
    assert (owner, 0o640) == (about.st_uid, about.st_mode & 0o777)
    assert [theirs] == list(theirs.parent.iterdir())


def test_a_login_that_is_a_mount_is_written_in_place(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can take its place."""

    def busy(*_: object, **__: object) -> None:
        raise OSError(errno.EBUSY, "busy")

    theirs.write_text(LOGIN + " " * 100)
    monkeypatch.setattr(os, "rename", busy)
    before = theirs.stat().st_ino
    with lending(theirs, tmp_path) as own:
        own.write_text(LOGIN.replace('"a"', '"newer"'))
    assert (before, LOGIN.replace('"a"', '"newer"')) == (theirs.stat().st_ino, theirs.read_text())
    assert [theirs] == list(theirs.parent.iterdir())


def test_where_a_login_cannot_be_written_the_renewed_one_is_kept_and_told(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is lent from there, renewed again, and goes back as soon as that can be done."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    newer, newest = (LOGIN.replace('"a"', f'"{token}"') for token in ("newer", "newest"))
    told, logins = list[str](), tmp_path / "state" / "logins"

    def read_only(*_: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    with monkeypatch.context() as patched:
        patched.setattr(login_copy_module, "_replace", read_only)
        for before, after in ((LOGIN, newer), (newer, newest)):
            own = tmp_path / "own"
            with lent(theirs, own, NAME, looks_like(Claude.login), told.append) as one:
                assert before == one.path.read_text()
                one.take_back()
                one.path.write_text(after)
                one.take_back()
            (kept,) = logins.iterdir()
            assert (after, 0o600) == (kept.read_text(), kept.stat().st_mode & 0o777)
            assert str(kept) in told[-1]
        assert (2, LOGIN) == (len(told), theirs.read_text())
    with lending(theirs, tmp_path) as again:
        assert [newest] * 2 == [theirs.read_text(), again.read_text()]
    assert [] == list(logins.iterdir())


def test_a_login_that_is_a_link_is_neither_lent_nor_replaced(theirs: Path, tmp_path: Path) -> None:
    """Who manages their files by links finds them as they were."""
    link = tmp_path / "link.json"
    link.symlink_to(theirs)
    with lending(link, tmp_path) as own:
        assert not own.exists()
        own.parent.mkdir(parents=True)
        own.write_text(LOGIN.replace('"a"', '"newer"'))
    assert (True, LOGIN) == (link.is_symlink(), theirs.read_text())


@pytest.mark.parametrize("changed", [False, True])
def test_a_renewed_login_that_a_killed_call_left_goes_back(
    theirs: Path, tmp_path: Path, *, changed: bool
) -> None:
    """Unless the person's is no more the one that was lent."""
    renewed, own = LOGIN.replace('"a"', '"newer"'), tmp_path / "own"
    code = (
        "import os, sys; from pathlib import Path; from clew.agents.login_copy import lent\n"
        "theirs, own, renewed = sys.argv[1:]\n"
        f"with lent(Path(theirs), Path(own), {NAME!r}, bool) as loan:\n"
        "    loan.path.write_text(renewed); os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, theirs, own, renewed], check=False)
    assert (LOGIN, renewed) == (theirs.read_text(), (own / NAME).read_text())
    theirs.write_text(now := LOGIN.replace('"a"', '"theirs"') if changed else LOGIN)
    with lending(theirs, tmp_path) as lent_again:
        assert [now if changed else renewed] * 2 == [theirs.read_text(), lent_again.read_text()]
    assert [] == list((own / NAME).parent.iterdir())
