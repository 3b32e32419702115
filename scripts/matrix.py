"""Make the environments that the slow tests give to projects: every Python with every pytest.

Each is a folder `.matrix/3.9-pytest7`, made from `requirements/matrix-pytest7.txt` and made again
only when that file or the interpreter changed. A Python that this machine lacks is named and left
out; its tests are skipped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MATRIX = ROOT / ".matrix"
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13")
ALL = {
    "pytest7": PYTHONS,
    "pytest8": PYTHONS,
    "pytest9": PYTHONS[1:],
    "plugins": ("3.9", "3.13"),
}
TELL = "import sys, venv; print('%d.%d' % sys.version_info[:2], sys.version)"


def find(version: str) -> tuple[Path, str] | None:
    """Return an interpreter of that version which can make environments, and what it says."""
    for path in candidates(version):
        done = subprocess.run([path, "-c", TELL], capture_output=True, text=True, check=False)
        if done.stdout.startswith(version + " "):
            return path, done.stdout
    return None


def candidates(version: str) -> Iterator[Path]:
    name = f"python{version}"
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(home.glob(f"versions/{version}.*/bin/{name}"), reverse=True)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        # What pyenv puts on the path starts whichever version is chosen, or none.
        if (path := Path(folder, name)).exists() and path.parent != home / "shims":
            yield path


def make(version: str, kind: str, python: Path, words: str) -> None:
    """Make one environment, unless it is there as it should be."""
    lock = ROOT / "requirements" / f"matrix-{kind}.txt"
    folder = MATRIX / f"{version}-{kind}"
    stamp = folder / "made-from"
    digest = hashlib.sha256(lock.read_bytes() + f"{folder}{python}{words}".encode()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"]
    quiet = ["-qq", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, *quiet, "--require-hashes", "--requirement", str(lock)], check=True)
    stamp.write_text(digest, encoding="utf-8")


def main() -> None:
    found = {version: find(version) for version in PYTHONS}
    missing = [version for version, python in found.items() if python is None]
    if missing:
        print(f"matrix: no Python {', '.join(missing)} here; tests with it are skipped")
    wanted = [
        (version, kind, *python)
        for kind, versions in ALL.items()
        for version in versions
        if (python := found[version]) is not None
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(make, *words) for words in wanted]:
            done.result()


if __name__ == "__main__":
    main()
