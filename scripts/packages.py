"""Fetch the real packages that `clew fix` is tried on, and what their tests need.

Everything is pinned by hash and lies in `.packages`; what is there already is not fetched again.

    .packages/tools/            an environment with what builds the packages and runs their tests
    .packages/sources/NAME/     the source of each, as its developers released it
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".packages"
SOURCES = ROOT / "requirements" / "packages.txt"
TOOLS = ROOT / "requirements" / "packages-tools.txt"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = digest()
        stamp = FOLDER / "ready"
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
            return 0
        stamp.unlink(missing_ok=True)
        print("packages: fetching sources and tools", file=sys.stderr)
        make_tools()
        fetch_sources()
        stamp.write_text(wanted, encoding="utf-8")
    return 0


def digest() -> str:
    """Return what the folder depends on; its place counts, since environments cannot be moved."""
    parts = [str(FOLDER).encode(), sys.version.encode()]
    parts += [path.read_bytes() for path in (SOURCES, TOOLS, Path(__file__))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def make_tools() -> None:
    venv.create(FOLDER / "tools", clear=True, with_pip=True, symlinks=True)
    pip("install", "--require-hashes", "--requirement", str(TOOLS))


def fetch_sources() -> None:
    archives, sources = FOLDER / "archives", FOLDER / "sources"
    shutil.rmtree(archives, ignore_errors=True)
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir()
    pip(
        *("download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:"),
        *("--require-hashes", "--requirement", str(SOURCES), "--dest", str(archives)),
    )
    for archive in sorted(archives.glob("*.tar.gz")):
        with tarfile.open(archive) as opened:
            opened.extractall(sources, filter="data")
        folder = sources / archive.name.removesuffix(".tar.gz")
        name = re.sub(r"-[0-9][^-]*$", "", folder.name).replace("_", "-")
        folder.rename(sources / name)


def pip(*words: str) -> None:
    program = [str(FOLDER / "tools" / "bin" / "python"), "-m", "pip"]
    subprocess.run([*program, "--disable-pip-version-check", "-qq", *words], check=True)


if __name__ == "__main__":
    sys.exit(main())
