"""From inside a confined program nothing leads out: each test is an honest attempt."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.sandbox.confinement import Limits, calls, survey
from clew.sandbox.processes import identify
from sandbox.confinement.cell import Cell

# Each writes the name of the way, so that a file that changed tells how.
WRITES = {
    "an absolute path": "Path(OUTSIDE, 'file').write_text(WAY)",
    "a new file": "Path(OUTSIDE, 'new').write_text(WAY)",
    "dots": "Path('../outside/file').write_text(WAY)",
    "dots from the worktree on disk": "Path('../../outside/file').write_text(WAY)",
    "the root of this process": "Path(f'/proc/self/root{OUTSIDE}/file').write_text(WAY)",
    "the root of the first process": "Path(f'/proc/1/root{OUTSIDE}/file').write_text(WAY)",
    "the root of a stranger": "Path(f'/proc/{VICTIM}/root{OUTSIDE}/file').write_text(WAY)",
    "the root of the parent": "Path(f'/proc/{PARENT}/root{OUTSIDE}/file').write_text(WAY)",
    "a symbolic link": "os.symlink(OUTSIDE, 'out'); Path('out/file').write_text(WAY)",
    "a link to a file": "os.symlink(OUTSIDE + '/file', 'to'); Path('to').write_text(WAY)",
    "a hard link": "os.link(OUTSIDE + '/file', 'hard'); Path('hard').write_text(WAY)",
    "a hard link to a tool": "os.link(TOOLS + '/tool', 'tool'); Path('tool').write_text(WAY)",
    "a tool": "Path(TOOLS, 'tool').write_text(WAY)",
    "the person's tree, past the worktree": "Path(PERSON, '../person/new').write_text(WAY)",
    "the person's tree, through a link": "os.symlink(PERSON, 'p'); Path('p/new').write_text(WAY)",
    "a new root": "check(libc.chroot(b'/')); Path(OUTSIDE, 'file').write_text(WAY)",
    "truncation": "os.truncate(OUTSIDE + '/file', 0)",
    "removal of a tool": "os.remove(TOOLS + '/tool')",
    "removal": "os.remove(OUTSIDE + '/file')",
    "a rename": "Path('source.py').rename(OUTSIDE + '/file')",
}


def told(cell: Cell, code: str) -> str:
    """The attempt, with the places it is about."""
    return (
        f"OUTSIDE = {str(cell.outside)!r}; PERSON = {str(cell.person)!r}\n"
        f"TOOLS = {str(cell.tools)!r}; PARENT = {os.getpid()}; VICTIM = {cell.victim.pid}\n"
        f"{code}"
    )


def test_nothing_outside_can_be_changed(cell: Cell) -> None:
    """Whatever the program believes, the files of the person stay as they are."""
    before = cell.everything_else()

    cell.attempt(
        told(
            cell,
            f"""
for WAY, code in {WRITES!r}.items():
    try:
        exec(code)
    except OSError:
        pass
""",
        )
    )

    assert before == cell.everything_else()


def test_the_system_cannot_be_changed(cell: Cell) -> None:
    """Not even by root."""
    places = ["/", "/etc", "/usr", "/usr/local/bin", "/var/lib", "/opt", "/sys", "/proc", "/dev"]
    answer = cell.attempt(f"""
opened = []
for place in {places!r}:
    try:
        Path(place, "clew-escaped").touch()
    except OSError:
        continue
    opened.append(place)
print(opened)
""")

    assert "[]\nwent through" == answer
    assert [] == [place for place in places if Path(place, "clew-escaped").exists()]


def test_what_is_written_to_hidden_places_stays_private(cell: Cell) -> None:
    """A namespace has a home and a /tmp of its own; Landlock refuses."""
    names = [str(Path.home() / "clew-escaped"), "/tmp/clew-escaped", "/dev/shm/clew-escaped"]  # noqa: S108 - to be refused
    for name in names:
        cell.attempt(f"Path({name!r}).write_text('escaped')")

    assert [] == [name for name in names if Path(name).exists()]


def test_settings_of_the_kernel_cannot_be_opened_for_writing(cell: Cell) -> None:
    """They belong to root, and root without capabilities is still their owner."""
    answer = cell.attempt("""
opened = []
for top in ("/proc/sys", "/sys/kernel", "/sys/fs/cgroup"):
    for folder, _, names in os.walk(top):
        for name in names:
            try:
                os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_NONBLOCK))
            except OSError:
                continue
            opened.append(os.path.join(folder, name))
print(opened[:5])
""")

    assert "[]\nwent through" == answer


def test_mounts_cannot_be_undone(cell: Cell) -> None:
    """Not by root, not by root of a nested user namespace."""
    commands = [
        "mount -o remount,rw /",
        "mount -o remount,rw,bind /",
        "mount -t tmpfs none /mnt",
        "umount -l /tmp",
        "unshare -Urm mount -o remount,rw /",
        "unshare -Urm mount -o remount,bind,rw /",
        "unshare -Urm umount -l /tmp",
        "unshare -Urm umount -l /dev/shm",
        "mknod disk b 254 0",
        "chroot / true",
        "nsenter -t 1 -m true",
    ]
    answer = cell.attempt(f"""
for command in {commands!r}:
    if subprocess.run(command.split(), capture_output=True).returncode == 0:
        print(command)
""")

    assert "went through" == answer


def gaps(cell: Cell) -> str:
    """What the survey tells people that this level leaves open here."""
    return " ".join(survey.gaps(cell.level))


def serve(family: socket.AddressFamily, address: str | tuple[str, int]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen()
    return listener


CALL = """
with socket.socket({family}) as caller:
    caller.settimeout(5)
    caller.connect({address!r})
"""


# Where programs leave their sockets, as far as this user may.
SOCKET_FOLDERS = [
    folder
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", f"/run/user/{os.getuid()}")  # noqa: S108
    if os.access(folder, os.W_OK)
]


@contextlib.contextmanager
def unix_server(folder: Path) -> Iterator[str]:
    path = folder / f"clew-{os.getpid()}.sock"
    try:
        with serve(socket.AF_UNIX, str(path)):
            yield str(path)
    finally:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("folder", SOCKET_FOLDERS)
def test_unix_sockets_cannot_be_called(cell: Cell, folder: str) -> None:
    """A server that listens where servers do is out of reach."""
    with unix_server(Path(folder)) as path:
        answer = cell.attempt(CALL.format(family="socket.AF_UNIX", address=path))

    assert "refused" == answer.split()[0]


def test_a_unix_socket_in_a_visible_folder_cannot_be_called(cell: Cell) -> None:
    """A read-only file system would not keep anybody from calling: the socket is covered."""
    with unix_server(cell.tools) as path:
        answer = cell.attempt(CALL.format(family="socket.AF_UNIX", address=path))

    assert "refused" == answer.split()[0]


def test_an_abstract_unix_socket_cannot_be_called(cell: Cell) -> None:
    """Sockets without a file are out of reach as well."""
    name = f"\0clew-{os.getpid()}"
    with serve(socket.AF_UNIX, name):
        answer = cell.attempt(CALL.format(family="socket.AF_UNIX", address=name))

    assert "refused" == answer.split()[0]


def test_a_datagram_pair_cannot_be_turned_to_another_address(cell: Cell) -> None:
    """Where unix sockets are refused, pairs are no way round it."""
    path = str(cell.outside / "datagrams")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(path)
        answer = cell.attempt(f"""
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.connect({path!r})
""")

    assert "refused" == answer.split()[0]


def test_a_terminal_server_runs_no_command_for_it(cell: Cell) -> None:
    """tmux is asked over its socket to run a program outside."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    server = ["tmux", "-f", "/dev/null", "-S", f"/tmp/clew-tmux-{os.getpid()}"]  # noqa: S108
    env = {**os.environ, "SHELL": "/bin/sh"}
    subprocess.run([*server, "new-session", "-d", "sleep 600"], env=env, check=True)
    try:
        order = [*server, "new-window", f"touch {cell.outside / 'escaped'}"]
        answer = cell.attempt(f"subprocess.run({order!r}, check=True, stderr=-3)")
        windows = subprocess.run(
            [*server, "list-windows"], check=True, capture_output=True, text=True
        ).stdout
    finally:
        subprocess.run([*server, "kill-server"], check=True)
        Path(server[-1]).unlink(missing_ok=True)

    assert ("refused", 1, False) == (
        answer.split()[0],
        len(windows.splitlines()),
        (cell.outside / "escaped").exists(),
    )


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_a_server_of_this_machine_cannot_be_called(cell: Cell, family: str) -> None:
    """TCP to the loopback address of the machine is refused."""
    host = "127.0.0.1" if family == "AF_INET" else "::1"
    with serve(getattr(socket, family), (host, 0)) as listener:
        address = listener.getsockname()[:2]
        answer = cell.attempt(CALL.format(family=f"socket.{family}", address=address))

    assert "refused" == answer.split()[0]


def test_a_datagram_does_not_reach_this_machine(cell: Cell) -> None:
    """UDP is no way round it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        cell.attempt(f"""
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.sendto(b"x", {receiver.getsockname()!r})
""")
        with pytest.raises(BlockingIOError):
            receiver.recv(1)


@pytest.mark.skipif(not calls.can_refuse(), reason="sockets cannot be told apart here")
@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_ALG"])
def test_families_that_no_namespace_parts_are_refused(cell: Cell, family: str) -> None:
    """A virtual machine does not talk to its host."""
    kind = "socket.SOCK_RAW" if family == "AF_PACKET" else "socket.SOCK_STREAM"

    assert "refused" == cell.attempt(f"socket.socket(socket.{family}, {kind})").split()[0]


def test_the_network_is_there_when_it_is_allowed(cell: Cell) -> None:
    """An agent may call a server, and still no unix socket."""
    policy = cell.policy(network=True)
    with serve(socket.AF_INET, ("127.0.0.1", 0)) as listener, unix_server(cell.tools) as path:
        tcp = cell.attempt(
            CALL.format(family="socket.AF_INET", address=listener.getsockname()), policy
        )
        unix = cell.attempt(CALL.format(family="socket.AF_UNIX", address=path), policy)

    assert ("went through", "refused") == (tcp, unix.split()[0])


def test_with_the_network_abstract_sockets_stay_out_of_reach(cell: Cell) -> None:
    """Desktops listen on these. Where the kernel cannot part them, the survey says so."""
    name = f"\0clew-{os.getpid()}"
    with serve(socket.AF_UNIX, name):
        answer = cell.attempt(
            CALL.format(family="socket.AF_UNIX", address=name), cell.policy(network=True)
        )

    assert "refused" == answer.split()[0] or "abstract sockets" in gaps(cell)


def test_others_cannot_be_signalled(cell: Cell) -> None:
    """Neither a stranger nor the program that started it, or the survey says so."""
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    try:
        for pid in (cell.victim.pid, os.getpid()):
            cell.attempt(f"os.kill({pid}, {signal.SIGUSR1:d})")
    finally:
        signal.signal(signal.SIGUSR1, before)

    assert ([], None) == (heard, cell.victim.poll()) or "signals" in gaps(cell)


@pytest.mark.parametrize(
    "code",
    [
        "check(libc.ptrace(16, VICTIM, 0, 0))",
        "check(libc.ptrace(0x4206, VICTIM, 0, 0))",
        "print(Path(f'/proc/{VICTIM}/environ').read_text())",
        "print(os.readlink(f'/proc/{VICTIM}/fd/0'))",
        "print(os.readlink(f'/proc/{VICTIM}/exe'))",
        "open(f'/proc/{VICTIM}/mem', 'rb')",
        "os.close(os.pidfd_open(VICTIM)) or check(libc.syscall(438, os.pidfd_open(VICTIM), 0, 0))",
    ],
)
def test_others_cannot_be_looked_into(cell: Cell, code: str) -> None:
    """No tracing, no reading of memory, environment or open files."""
    assert "refused" == cell.attempt(told(cell, code)).split()[0]


def test_secrets_in_the_environment_are_absent(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its own environment nor that of any process it can read holds the keys."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    answer = cell.attempt("""
found = []
for entry in Path("/proc").iterdir():
    try:
        if entry.name.isdigit() and b"hunter2" in (entry / "environ").read_bytes():
            found.append(entry)
    except OSError:
        continue
print(found, "AWS_SECRET_ACCESS_KEY" in os.environ)
""")

    assert "[] False\nwent through" == answer


def test_files_of_the_home_cannot_be_read(cell: Cell) -> None:
    """The home that the user database names is empty, or closed."""
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    names = sorted(path.name for path in home.glob("*") if path.is_file())
    answer = cell.attempt(f"""
read = []
for name in {names!r}:
    try:
        read.append(open(os.path.join({str(home)!r}, name), "rb").close() or name)
    except OSError:
        pass
print(read)
""")

    assert "[]\nwent through" == answer


def test_temporary_files_of_others_cannot_be_read(cell: Cell) -> None:
    """What lies in the machine's /tmp is not shown."""
    answer = cell.attempt(told(cell, "print(Path(OUTSIDE, 'file').read_text())"))

    assert "refused" == answer.split()[0]


def test_a_read_only_worktree_is_read_only(cell: Cell) -> None:
    """For a diagnosis, code can be read, not written, removed or added to."""
    ways = [
        "Path('source.py').write_text('escaped')",
        "os.open('source.py', os.O_RDWR)",
        "os.remove('source.py')",
        "Path('new').write_text('escaped')",
        "os.mkdir('folder')",
        "os.symlink('source.py', 'link')",
        "Path('source.py').rename('other')",
        f"Path({str(cell.worktree)!r}, 'source.py').write_text('escaped')",
    ]
    policy = cell.policy(writable=False)
    answers = [cell.attempt(way, policy).split()[0] for way in ways]

    assert ["refused"] * len(ways) == answers
    assert {"source.py": "worktree"} == {p.name: p.read_text() for p in cell.worktree.iterdir()}


def test_a_file_over_the_limit_is_not_written(cell: Cell) -> None:
    """The file ends where the limit is."""
    policy = cell.policy(limits=Limits(file_bytes=100_000))
    answer = cell.attempt("open('big', 'wb').write(b'x' * 1_000_000)", policy)

    assert ("refused", True) == (
        answer.split()[0],
        (cell.worktree / "big").stat().st_size <= 100_000,
    )


def test_memory_over_the_limit_is_not_given(cell: Cell) -> None:
    """The program gets an error, the machine keeps its memory."""
    policy = cell.policy(limits=Limits(memory_bytes=300_000_000))
    done = cell.python("b'x' * 1_000_000_000", policy)

    assert (1, True) == (done.exit_code, "MemoryError" in done.stderr)


def test_limits_cannot_be_raised(cell: Cell) -> None:
    """Root without capabilities is bound by hard limits."""
    policy = cell.policy(limits=Limits(file_bytes=100_000))
    answer = cell.attempt(
        """
import resource
try:
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
except ValueError as error:
    raise OSError(error)
""",
        policy,
    )

    assert "refused" == answer.split()[0]


def test_time_of_the_processor_over_the_limit_ends_it(cell: Cell) -> None:
    """A program that spins is ended by the kernel."""
    done = cell.python("while True: pass", cell.policy(limits=Limits(cpu_seconds=1)))

    assert (False, True) == (done.timed_out, done.exit_code not in (0, None))


def test_core_dumps_are_not_written(cell: Cell) -> None:
    """A crash leaves no picture of memory behind."""
    answer = cell.attempt("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))")

    assert "(0, 0)\nwent through" == answer


def test_devices_cannot_be_read(cell: Cell) -> None:
    """A disk read raw would show every file."""
    names = {"autofs", "fb0", "fuse", "kmsg", "kvm", "mem", "port"}
    devices = [
        str(path) for path in Path("/dev").iterdir() if path.is_block_device() or path.name in names
    ]
    answer = cell.attempt(f"""
for path in {devices!r}:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        continue
    print(path)
""")

    assert "went through" == answer


def test_private_memory_files_are_bounded(namespace_cell: Cell) -> None:
    """The private /tmp lives in memory, and has an end."""
    policy = namespace_cell.policy(limits=Limits(tmp_bytes=1_000_000))
    answer = namespace_cell.attempt("open('/tmp/big', 'wb').write(b'x' * 3_000_000)", policy)

    assert "refused [Errno 28]" == answer[:18]


def test_daemons_do_not_stay_behind(cell: Cell) -> None:
    """A double fork with a session of its own ends with the program."""
    done = cell.python("""
import os, pathlib, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        pathlib.Path("daemon").touch()
        time.sleep(600)
    os._exit(0)
while not pathlib.Path("daemon").exists():
    time.sleep(0.001)
print("up")
""")

    assert ("up\n", []) == (done.stdout, sleepers(str(cell.worktree)))


def test_a_daemon_that_wiped_its_environment_does_not_stay_behind(namespace_cell: Cell) -> None:
    """The process namespace ends with its first process, whatever the others did."""
    nap = f"6543.{os.getpid()}"
    done = namespace_cell.python(f"""
import os, pathlib, subprocess, time
subprocess.run(["setsid", "-f", "env", "-i", "sh", "-c", "touch daemon; exec sleep {nap}"])
while not pathlib.Path("daemon").exists():
    time.sleep(0.001)
print("up")
""")

    assert ("up\n", []) == (done.stdout, sleepers(nap))


def sleepers(word: str) -> list[str]:
    """Command lines of living processes that hold a word, this one's and its parents' left out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
                if word in line and identify(int(entry.name)) is not None:
                    found.append(line)
    return found
