from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.probe.wire import Writer, clean
from clew.runners.records import read, read_dump


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_noise_never_breaks_reading(tmp_path: Path, noise: bytes) -> None:
    """Whatever bytes a test leaves among the records, the sound ones around it are read."""
    path = tmp_path / "records"
    path.write_bytes(b"")
    writer = Writer(str(path))
    writer.write("result", id="a", outcome="passed")
    path.write_bytes(path.read_bytes() + noise + b"\n")
    writer.write("result", id="b", outcome="failed")

    account = read(path)

    assert {"a", "b"} <= set(account.results)


@given(st.text(st.characters(), max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_text_passes_through(tmp_path: Path, text: str) -> None:
    """NUL, emoji and lone surrogates arrive as `clean` leaves them."""
    path = tmp_path / "records"
    path.unlink(missing_ok=True)
    Writer(str(path)).write("result", id=clean(text), outcome="passed", output=clean(text))

    (result,) = read(path).results.values()

    assert (clean(text), clean(text)) == (result.id, result.output)


def test_a_torn_last_line_is_none(tmp_path: Path) -> None:
    """A killed process leaves half a line at most, and that is passed over in silence."""
    path = tmp_path / "records"
    path.write_bytes(b'{"kind":"running","id":"a"}\n{"kind":"result","id":"a","outc')

    account = read(path)

    assert ("a", 0, {}) == (account.now, account.unread, account.results)


def test_red_prevails_over_a_later_green(tmp_path: Path) -> None:
    """A test cannot write its own failure away."""
    path = tmp_path / "records"
    writer = Writer(str(path))
    writer.write("result", id="a", outcome="failed")
    writer.write("result", id="a", outcome="passed")

    assert read(path).results["a"].outcome.red


def test_paths_that_leave_the_project_are_not_its_own(tmp_path: Path) -> None:
    """A frame that calls itself the project's must be inside it."""
    path = tmp_path / "records"
    frames = [
        {"path": name, "line": 1, "function": "f", "project": True}
        for name in ("a.py", "../a.py", "/etc/a.py")
    ]
    crash = {"type": "X", "message": "", "frames": frames}
    Writer(str(path)).write("result", id="a", outcome="failed", crash=crash)

    found = read(path).results["a"].crash

    assert found is not None
    assert [True, False, False] == [frame.project for frame in found.frames]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Tests may put a link where records are expected; what it leads to is not read."""
    secret = tmp_path / "secret"
    Writer(str(secret)).write("result", id="a", outcome="passed")
    (tmp_path / "records").symlink_to(secret)

    assert {} == read(tmp_path / "records").results


def test_a_bare_stack_is_read(tmp_path: Path) -> None:
    """faulthandler's text becomes frames, outermost first."""
    dump = tmp_path / "dump"
    dump.write_text(
        "Current thread 0x00007f (most recent call first):\n"
        '  File "/p/shop.py", line 3 in share\n'
        '  File "/p/.venv/lib/site-packages/x.py", line 9 in x\n'
        '  File "/usr/lib/python3/y.py", line 4 in y\n'
    )

    assert [
        ("/usr/lib/python3/y.py", False),
        ("/p/.venv/lib/site-packages/x.py", False),
        ("shop.py", True),
    ] == [(frame.path, frame.project) for frame in read_dump(dump, "/p")]
