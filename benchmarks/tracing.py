"""What it costs to record the lines that tests run, on click's own suite."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.figures import Figure, Part, Spread, paired
from benchmarks.measuring import BENCH, ROOT, clean, seconds, turns
from benchmarks.subjects import Subject, click

__all__ = ["run"]

PROBE = ROOT / "src" / "clew" / "probe" / "__main__.py"
HOW = (
    "click's suite, whole processes: under plain `python -m pytest`, under Clew's probe, and"
    " under the probe with tracing, for each Python that `scripts/setup bench` found. Up to 3.11"
    " the tracer is `sys.settrace`, from 3.12 on `sys.monitoring`."
)


def run(folder: Path, size: float) -> Part:
    """Measure each interpreter against itself."""
    subject = click(folder / "click", faulty=False)
    figures: list[Figure] = []
    for home in sorted(BENCH.glob("python3.*")):
        figures += measure(home, subject, folder, size)
    return Part(title="Tracing", how=HOW, figures=tuple(figures))


def measure(home: Path, subject: Subject, folder: Path, size: float) -> list[Figure]:
    """Measure one interpreter."""
    python, env = home / "bin" / "python", clean(**subject.environment)
    out = folder / home.name
    out.mkdir()

    def probed(*, trace: bool) -> float:
        request = out / "request.json"
        request.write_text(
            json.dumps(
                {
                    "results": str(out / "results.jsonl"),
                    "dump": str(out / "dump"),
                    "cache": str(out / "cache"),
                    "root": str(subject.folder),
                    "cwd": str(subject.folder),
                    "args": [],
                    "as_module": True,
                    "test_timeout": 60,
                    "trace": trace,
                }
            )
        )
        (out / "results.jsonl").unlink(missing_ok=True)
        return seconds([python, PROBE, "pytest", request], cwd=subject.folder, env=env)

    took = turns(
        max(1, round(3 * size)),
        plain=lambda: seconds(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=subject.folder, env=env
        ),
        probe=lambda: probed(trace=False),
        traced=lambda: probed(trace=True),
    )
    plain = Spread.of(took["plain"])
    return [
        Figure(
            what=f"{home.name.replace('python', 'Python ')}, {what}",
            unit="s",
            clew=Spread.of(took[key]),
            peer="plain pytest",
            theirs=plain,
            value=paired(took[key], took["plain"]),
        )
        for key, what in (("probe", "probe"), ("traced", "probe, tracing"))
    ]
