"""The files of a phase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.words.phases import Manifest, PhaseRecord, appended, checked, reconciled

PHASE = PhaseRecord(id=1, name="a")


def lists(phase: PhaseRecord) -> tuple[tuple[str, ...], ...]:
    return (phase.files_created, phase.files_modified, phase.files_deleted)


@pytest.mark.parametrize(
    ("first", "then", "both"),
    [
        ("created", "modified", (("a",), (), ())),
        ("created", "deleted", ((), (), ())),
        ("modified", "deleted", ((), (), ("a",))),
        ("deleted", "created", ((), ("a",), ())),
        ("modified", "created", ((), ("a",), ())),
        ("deleted", "modified", ((), ("a",), ())),
        ("created", "created", (("a",), (), ())),
    ],
)
def test_changes_come_to_one(first: str, then: str, both: tuple[tuple[str, ...], ...]) -> None:
    """A file that is created and changed by the next attempt is a file that was created."""
    phase = appended(PHASE, Manifest(**{first: ("a",)}))

    assert both == lists(appended(phase, Manifest(**{then: ("a",)})))


@given(st.lists(st.tuples(st.sampled_from(Manifest.__struct_fields__), st.sampled_from("abc"))))
def test_no_file_stands_in_two_lists(changes: list[tuple[str, str]]) -> None:
    """Whatever became of it, and in which order."""
    phase = PHASE
    for kind, path in changes:
        phase = appended(phase, Manifest(**{kind: (path,)}))
    every = [path for each in lists(phase) for path in each]

    assert len(set(every)) == len(every)


SEEN = Manifest(created=("b.py",), modified=("a.py",))


@pytest.mark.parametrize(
    ("reported", "requires", "reason"),
    [
        (SEEN, False, ""),
        (Manifest(created=("a.py", "b.py")), False, ""),
        (
            None,
            True,
            "the agent did not report which files it changed; changed and not reported: a.py, b.py",
        ),
        (Manifest(modified=("a.py",)), True, "changed and not reported: b.py"),
        (
            Manifest(modified=("a.py", "c.py"), created=("b.py",)),
            False,
            "reported and not changed: c.py",
        ),
    ],
)
def test_a_report_is_checked_against_git(
    reported: Manifest | None,
    requires: bool,  # noqa: FBT001 -- as pytest hands it over
    reason: str,
) -> None:
    """The manifest is what git says; silence on a file has to be looked into."""
    phase = checked(PHASE, reported, SEEN)

    assert (("b.py",), ("a.py",), ()) == lists(phase)
    assert (requires, reason) == (phase.requires_reconciliation, phase.reconciliation_reason)


def test_a_later_sound_report_does_not_reconcile_an_earlier_one() -> None:
    """Somebody has to look, and says what they found."""
    phase = checked(checked(PHASE, None, SEEN), Manifest(), Manifest())

    assert phase.requires_reconciliation
    done = reconciled(phase, "ada: both belong to the phase")
    assert (False, "ada: both belong to the phase") == (
        done.requires_reconciliation,
        done.reconciliation_reason,
    )


def test_a_reason_names_a_few_files() -> None:
    """And counts the rest."""
    many = Manifest(created=tuple(f"{n}.py" for n in range(8)))

    reason = checked(PHASE, Manifest(), many).reconciliation_reason
    assert "changed and not reported: 0.py, 1.py, 2.py, 3.py, 4.py and 3 more" == reason
