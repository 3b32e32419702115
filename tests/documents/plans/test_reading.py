"""What is read of each form, and where it is said to be wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.documents.plans import examine, read, read_plan
from clew.words.errors import PlanInvalid
from clew.words.plans import Criterion, PlanAgent, PlanPhase, SpecReference, VerifyBy

OWN = """\
---
# what a person says of it
design: docs/design.md
complexity: Medium
test_command: pytest -q
owner: somebody
---

# A word counter

Counts words.

## Background

None.

## Phase 1: Split text

~~~yaml
agent: coder
creates: [a.py]
validation:
  - pytest -q
  - [python, -c, "print('a;b')"]
references:
  - spec.md
  - {spec: spec.md, section: Words}
priority: high
~~~

Punctuation belongs to no word:

- [ ] not even a dash

### Done when

- [ ] dashes
  split (test: tests/test_a.py)
- [x] it looks right

### Hints

See `re`.

## Phase two: Count

```yml
agent: tester
depends_on: 1
parallel: false
test_files: [tests/test_b.py]
```

## Risks

None.
"""


def found(text: str, name: str = "plan.md") -> list[str]:
    return [str(finding) for finding in examine({name: text})[1]]


def test_our_own_form_is_read() -> None:
    """Headings, YAML, prose, criteria; what nobody knows is kept."""
    plan = read_plan(OWN, "plan.md").bare
    assert ("A word counter", "Counts words.\n\n## Background\n\nNone.") == (plan.title, plan.goal)
    assert ("docs/design.md", "medium", "pytest -q") == (
        plan.design,
        plan.complexity,
        plan.test_command,
    )
    assert ({"owner": "somebody"}, "## Risks\n\nNone.") == (plan.extra, plan.notes)
    first, second = plan.phases
    assert (
        PlanPhase(
            id=1,
            name="Split text",
            agent="coder",
            description="Punctuation belongs to no word:\n\n- [ ] not even a dash\n\n"
            "### Hints\n\nSee `re`.",
            creates=("a.py",),
            validation=(("pytest", "-q"), ("python", "-c", "print('a;b')")),
            references=(
                SpecReference(spec="spec.md"),
                SpecReference(spec="spec.md", section="Words"),
            ),
            criteria=(
                Criterion(
                    criterion="dashes split", verify_by=VerifyBy.TEST, target="tests/test_a.py"
                ),
                Criterion(criterion="it looks right"),
            ),
            extra={"priority": "high"},
        )
        == first
    )
    assert ("two", "Count", (1,), ("tests/test_b.py",)) == (
        second.id,
        second.name,
        second.depends_on,
        second.test_files,
    )


@pytest.mark.parametrize(
    "changed",
    [
        OWN.replace("\n", "\r\n"),
        "\ufeff" + OWN,
        OWN.replace(
            OWN[4 : OWN.index("---\n\n#")],
            '{"design": "docs/design.md", "complexity": "medium",\n\t"test_command": "pytest -q",'
            ' "owner": "somebody"}\n',
        ),
        OWN.replace("---\n#", "---\nplan: 1\n#", 1),
    ],
    ids=["CRLF", "BOM", "JSON", "version"],
)
def test_the_same_plan_is_read_however_the_file_was_saved(changed: str) -> None:
    """Line ends, a byte order mark, JSON between the dashes, the form by its number."""
    assert changed != OWN
    assert read_plan(OWN, "").bare == read_plan(changed, "").bare


def test_every_field_knows_its_line() -> None:
    """In whatever part of the file it stands."""
    plan = read_plan(OWN, "plan.md")
    lines = OWN.splitlines()
    for where, begins in (
        ("complexity", "complexity:"),
        ("title", "# A word counter"),
        ("phases[0].id", "## Phase 1"),
        ("phases[0].creates[0]", "creates:"),
        ("phases[0].validation[1]", "  - [python"),
        ("phases[0].criteria[1]", "- [x]"),
        ("phases[0].nothing", "## Phase 1"),
        ("phases[1].depends_on", "depends_on"),
    ):
        place = plan.place(where)
        assert place is not None
        assert lines[place.line - 1].startswith(begins)


def own(yaml: str, above: str = "", below: str = "") -> str:
    return f"{above}## Phase 1: A\n\n```yaml\n{yaml}\n```\n{below}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "plan.md:1: error: the file is empty [invalid_plan]"),
        ("Some words.", "plan.md:1: error: the plan has no phases"),
        ("---\na: 1\n", "plan.md:1: error: the front matter has no closing ---"),
        ("---\n- a\n---\n", "plan.md:2: error: the front matter is not a map"),
        ("---\na: [\n---\n", "plan.md:3: error: it is not valid YAML"),
        ('---\n{"a": 1,\n"a": 2}\n---\n', "the key 'a' appears twice"),
        (own("agent: x\nagent: y"), "plan.md:5: error: it is not valid YAML: the key 'agent'"),
        (own("agent: x: y"), "plan.md:4: error: it is not valid YAML: mapping values are not"),
        ("a\n\n```py\nx", "plan.md:3: error: the block of code that begins here is not closed"),
        (own("- x"), "plan.md:4: error: phases[0] must be a map of fields, and is a list"),
        (own("agent: 42"), "plan.md:4: error: agent must be a text, and is a number"),
        (own("agent: [a, 1]"), "agent[1] must be a text, and is a number"),
        (own("agent: a\nid: {}"), "plan.md:5: error: id must be a whole number or a text"),
        (own("agent: a\nid: true"), "plan.md:5: error: id must be a whole number or a text"),
        (own("agent: a\nid: 2"), "plan.md:5: error: the heading says phase 1, and its YAML 2"),
        (own("agent: a\nparallel: maybe"), "parallel must be true or false, and is a text"),
        (own("agent: a\nbatch: 1.5"), "batch must be a whole number, and is a number"),
        (own("agent: a\ndepends_on: [[1]]"), "depends_on[0] must be a whole number or a text"),
        (own("agent: a\nmodifies: ['']"), "plan.md:5: error: the path '' is empty"),
        (own("agent: a\nvalidation: a | b"), "plan.md:5: error: the command needs a shell (|)"),
        (own('agent: a\nvalidation: "a \'b"'), "plan.md:5: error: the command cannot be read"),
        (own("agent: a\nvalidation: ''"), "plan.md:5: error: the command is empty"),
        (own("agent: a\ncriteria: [{criterion: x, verify_by: luck}]"), "'luck' is none of test"),
        (own("agent: a\ncriteria: [{criterion: x, by: test}]"), "nobody reads the field 'by'"),
        (own("agent: a\ndepend_on: [2]"), "plan.md:5: warning: nobody reads the field 'depend_on'"),
        (own("agent: a\nblocked_by: [1]\ndepends_on: [1]"), "are the same field; keep one of"),
        (own("agent: a", below="### Done when\n- x\n"), "plan.md:7: error: a criterion is written"),
        (own("agent: a", above="---\nplan: 2\n---\n"), "plan.md:2: error: the plan is of form 2"),
        (own("agent: a").replace(" A", ""), "plan.md:1: error: phase 1 has no name"),
        (own("agent: a").replace("1", "a b"), "plan.md:1: error: 'Phase a b: A' begins no phase"),
        (
            own("agent: a", below="## Phase b c:\n~~~yaml\nagent: a\n~~~\n"),
            "plan.md:6: error: 'Phase b c:' begins no phase",
        ),
        (own("agent: a", below="## Phase order and risks: none\n"), "plan.md:6: warning: 'Phase"),
        ("## Phase: A\n```yaml\nagent: a\n```\n", "plan.md:1: error: the phase has no id"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str) -> None:
    """The file, the line, the field."""
    (only, *more) = found(text)
    assert said in only
    assert [] == more


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (None, ["invalid_plan"]),
        (42, ["invalid_plan"]),
        ("phases", ["invalid_plan"]),
        ({}, ["invalid_plan"]),
        ({"phases": "p1"}, ["invalid_plan"]),
        ({"tasks": None}, ["invalid_plan"]),
        ([], ["empty"]),
        ({"phases": []}, ["empty"]),
        ({"phases": [5]}, ["invalid_field_type"]),
        ({"phases": [{"id": 1, "name": "a"}]}, ["missing_required_field"]),
        ({"phases": [{"id": 1, "agent": "a"}]}, ["missing_required_field"]),
        ({"phases": [{"name": "a", "agent": "a"}]}, ["missing_required_field"]),
        ({"phases": [{"id": None, "name": "a", "agent": "a"}]}, ["missing_required_field"]),
        ({"phases": [{"id": {}, "name": "a", "agent": "a"}]}, ["invalid_field_type"]),
        ({"phases": [{"id": 1, "name": "a", "agent": 42}]}, ["invalid_field_type"]),
        (
            {"phases": [{"id": 1, "name": "a", "agent": "a", "files_created": [""]}]},
            ["invalid_field_value"],
        ),
        (
            {"phases": [{"id": 1, "name": "a", "agent": "architect", "files": ["a.py"]}]},
            ["agent_capability_mismatch"],
        ),
        ({"plan": {"phases": []}, "task_complexity": "simple"}, ["empty"]),
        (
            {
                "plan": {"phases": [{"id": 1, "name": "a", "agent": "a"}] * 4},
                "task_complexity": "s",
            },
            ["invalid_field_value", *["duplicate_id"] * 3],
        ),
    ],
)
def test_plans_of_data_are_read_strictly(data: Any, codes: list[str]) -> None:  # noqa: ANN401 -- of any shape
    """What is no plan, what is missing, what has another type: each by its code."""
    assert sorted(codes) == sorted(each.code for each in examine({"a": json.dumps(data)})[1])


def test_lines_of_json_are_known() -> None:
    """However it is laid out."""
    text = '{"phases": [\n  {"id": 1, "name": "a", "agent": "a",\n   "depends_on": [\n    9]}]}'
    assert ["a.json:4: error"] == [line[:15] for line in found(text, "a.json")]


def test_yaml_is_data_as_well() -> None:
    """A file of it may hold the phases as a list."""
    text = "# my plan\ntitle: T\nphases:\n  - {id: 1, name: a, agent: a}\n  - id: x\n    name: b\n"
    assert ["a:5: error: phase x has no agent [missing_required_field]"] == found(text, "a")


def test_tasks_are_a_coders() -> None:
    """They name no agents; criteria of old are a text, or texts, and a dependency may be alone."""
    tasks = [
        {"id": "1", "title": "A", "acceptance_criteria": "x\n- y\n--json works", "files": ["a"]},
        {
            "id": "2",
            "title": "B",
            "files": ["c"],
            "files_touched": ["d"],
            "acceptance_criteria": ["z"],
            "depends_on": "1",
            "status": "new",
        },
    ]
    plan = read_plan(json.dumps({"tasks": tasks, "title": "T"}), "")
    first, second = plan.phases
    assert ("coder", "coder") == (first.agent, second.agent)
    assert ["x", "y", "--json works"] == [each.criterion for each in first.criteria]
    assert {VerifyBy.MANUAL} == {each.verify_by for each in (*first.criteria, *second.criteria)}
    assert (("a",), ("d", "c"), ("1",)) == (first.modifies, second.modifies, second.depends_on)
    assert {"status": "new"} == second.extra


def test_a_folder_of_tasks_is_one_plan() -> None:
    """Each file has its own lines."""
    files = {
        "tasks/1.json": '{"id": "1", "title": "A"}',
        "tasks/2.json": '\n{"id": "2", "title": "B",\n"depends_on": ["3"]}',
    }
    plan, findings = examine(files)
    assert ["1", "2"] == [each.id for each in plan.phases]
    assert [("tasks/2.json", 3)] == [(each.path, each.line) for each in findings]
    broken = read({**files, "tasks/3.json": "{"}).findings
    assert [("tasks/3.json", "invalid_plan")] == [(each.path, each.code) for each in broken]


def test_a_plan_that_cannot_be_read_is_no_plan() -> None:
    """Whoever asks for one gets the first reasons, and how to see the others."""
    with pytest.raises(PlanInvalid) as no:
        read_plan(own("agent: 1\nname: 2\ncreates: [1, 2, 3, 4]"), "my.md")
    first, second, *_, last = no.value.message.splitlines()
    assert "the plan my.md cannot be carried out:" == first
    assert "my.md:4: error: agent must be a text, and is a number [invalid_field_type]" == second
    assert ("and 1 more", 6) == (last, len(no.value.findings))
    assert "`clew plan check my.md` lists all that is wrong." == no.value.hint


def test_what_agents_may_do_is_known_to_the_check() -> None:
    """As the settings say."""
    text = own("agent: scribe\ncreates: [a]")
    assert [] == found(text)
    (finding,) = examine({"": text}, {"scribe": PlanAgent(writes=False)})[1]
    assert "agent_capability_mismatch" == finding.code


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("None", ()),
        ("None.", ()),
        ("[]", ()),
        ("Phase 1.", (1,)),
        ("Phases 2, 3 and 4", (2, 3, 4)),
        ("Blocked by Phases 1, 2.", (1, 2)),
        ("[1, 2]", (1, 2)),
        ("depends_on: [phase_1, phase_2] ✓", (1, 2)),
        ("Phase 4 (Implementation Phase Refactor)", (4,)),
        ("1-3", (1, 2, 3)),
        ("`setup`, `schema`", ("setup", "schema")),
    ],
)
def test_dependencies_are_read_as_people_write_them(words: str, ids: tuple[int | str, ...]) -> None:
    """A phase is named by its number or its word."""
    text = f"### Phase 9: A\n- **Agent**: `coder`\n- **Dependencies**: {words}\n"
    assert ids == read_plan(text, "").phases[0].depends_on


def test_dependencies_that_nobody_understands_are_told() -> None:
    """Rather than taken for none."""
    text = "### Phase 1: A\n- **Dependencies**: once the server is bought\n"
    assert ["a:2: error: no phases can be made out in 'once the server is bought'"] == [
        line.partition(" [")[0] for line in found(text, "a")
    ]


@pytest.mark.parametrize(
    ("item", "path"),
    [
        ("`src/a.py`: what it holds", "src/a.py"),
        ("`src/a.py` — what `it` holds", "src/a.py"),
        ("src/a.py (new)", "src/a.py"),
        ("Makefile.in: rules", "Makefile.in"),
        ("`app/[id]/page.tsx`", "app/[id]/page.tsx"),
    ],
)
def test_a_file_is_made_out_in_what_is_said_of_it(item: str, path: str) -> None:
    """In code, or as the first word."""
    text = f"### Phase 1: A\n- **Files to Create**:\n  - {item}\n    - with more\n  - None\n"
    assert (path,) == read_plan(text, "").phases[0].creates


def test_only_code_alone_is_a_command() -> None:
    """Words around it are for a person: they may ask for the opposite."""
    text = (
        "### Phase 1: A\n\n**Validation**:\n- `pytest -q`, `ruff check` (both)\n"
        "- `grep x .` finds nothing\n- `a && b`\n\n```bash\n$ make test\n\n# more\nmake lint\n```\n"
    )
    phase = read_plan(text, "").phases[0]
    assert (("pytest", "-q"), ("ruff", "check"), ("make", "test"), ("make", "lint")) == (
        phase.validation
    )
    assert ["`grep x .` finds nothing", "`a && b`"] == [each.criterion for each in phase.criteria]


def test_an_agent_is_missing_only_where_others_have_one() -> None:
    """A plan that names none is a coder's."""
    two = "### Phase 1: A\n**Agent**: x\n### Phase 2: B\n"
    assert ["missing_required_field"] == [each.code for each in examine({"": two})[1]]
    assert "coder" == read_plan("### Phase 1: A\n", "").phases[0].agent


def test_of_several_agents_the_first_carries_it_out() -> None:
    """The others are kept, and told."""
    plan, findings = examine({"": "### Phase 1: A\n- **Agent**: `coder`, `tester` (late)\n"})
    assert ("coder", {"other_agents": ["tester"]}) == (plan.phases[0].agent, plan.phases[0].extra)
    assert ["the phase names 2 agents; coder carries it out"] == [f.message for f in findings]


FRAGMENTS = st.sampled_from(
    [
        *(
            "## Phase 1: a\n",
            "### Phase two: b\n",
            "## Phase:\n",
            "```yaml\n",
            "```\n",
            "agent: x\n",
        ),
        *("- [ ] a (test: b)\n", "### Done when\n", "---\n", "plan: 1\n", "depends_on: [1]\n"),
        *("**Files**: `a`\n", "- **Dependencies**: Phase 1\n", "# T\n", "## Dependency Graph\n"),
        *("| Stage | Phases | Mode | Agent |\n", "| 1 | 1, 2 | Parallel | `x` |\n", "### Tasks\n"),
        *("## Execution Strategy\n", "P1 --> P2 & P3\n", "### Validation\n", "`pytest -q`\n"),
        *("{", "[", "]", "}", '"a"', ":", ",", "null", "- x\n", "a: b\n", "? [\n", "&a *a", "!!x"),
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=8), max_size=20).map("".join))
def test_any_text_is_read_or_told_to_be_wrong(text: str) -> None:
    """Nothing raises."""
    examine({"plan.md": text})


KEYS = st.sampled_from(
    [
        *("id", "name", "agent", "agents", "phases", "tasks", "plan", "depends_on", "criteria"),
        *("validation", "references", "title", "parallel", "batch", "creates", "files", "goal"),
    ]
)


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(KEYS | st.text(), inner),
        max_leaves=20,
    )
)
def test_any_data_is_read_or_told_to_be_wrong(data: Any) -> None:  # noqa: ANN401 -- of any shape
    """As a file, as one of a folder, as the phases of a plan."""
    text = json.dumps(data)
    examine({"a.json": text})
    examine({"a/1.json": text, "a/2.json": text})
    examine({"a.json": f'{{"phases": [{text}, {text}]}}'})
