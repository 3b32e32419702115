"""Programs that are known to write JUnit's XML: told where to, or found where they always do."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

__all__ = ["ReportWriter", "writer"]


class ReportWriter(msgspec.Struct, frozen=True, kw_only=True):
    """How one program comes to its reports.

    `words` make it write one ({} is the file); `places` are where it writes them by itself, as
    patterns below the folder where tests run. `verbs`: it runs tests if it is given one of these,
    always if there are none.
    """

    words: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    verbs: frozenset[str] = frozenset()


GRADLE = ReportWriter(
    words=("--rerun-tasks",),  # what it holds to be up to date writes no report
    places=("build/test-results/*/*.xml", "*/build/test-results/*/*.xml"),
    verbs=frozenset({"build", "check", "test"}),
)
MAVEN = ReportWriter(
    words=("--offline",),
    places=tuple(
        f"{folder}target/{kind}-reports/TEST-*.xml"
        for kind in ("surefire", "failsafe")
        for folder in ("", "*/", "*/*/")
    ),
    verbs=frozenset({"install", "package", "test", "verify"}),
)
TESTING = frozenset({"test"})
WRITERS: dict[str, ReportWriter] = {
    "bun": ReportWriter(words=("--reporter=junit", "--reporter-outfile={}"), verbs=TESTING),
    "ctest": ReportWriter(words=("--output-junit", "{}")),
    "deno": ReportWriter(words=("--junit-path={}",), verbs=TESTING),
    "gotestsum": ReportWriter(words=("--junitfile={}",)),
    "gradle": GRADLE,
    "gradlew": GRADLE,
    "mvn": MAVEN,
    "mvnw": MAVEN,
    "phpunit": ReportWriter(words=("--log-junit", "{}")),
    "swift": ReportWriter(words=("--xunit-output", "{}"), verbs=TESTING),
}


def writer(words: Sequence[str]) -> ReportWriter | None:
    """Return how the command comes to write reports of its tests; None where that is not known."""
    known = WRITERS.get(words[0].rpartition("/")[2]) if words else None
    if known is None or (known.verbs and not known.verbs & set(words[1:])):
        return None
    return known
