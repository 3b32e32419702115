"""Plans as pictures."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from msgspec.structs import replace

from clew.documents.plans.pictures import mermaid, svg
from clew.words.plans import Plan
from planplay import graphs, phase, plan

SVG = "{http://www.w3.org/2000/svg}"
DIAMOND = plan(
    phase(1, name='Say "hi" `now` #1'),
    phase("1", 1, name="A <b> & c", parallel=False, modifies=("a.py",)),
    phase(3, 1, agent="tester"),
    phase(4, "1", 3, 99),
)


def test_a_plan_as_mermaid() -> None:
    """Whatever a name holds, it stays a name."""
    assert """graph LR
    p1["1 · Say #quot;hi#quot; #96;now#96; #35;1<br/>coder"]
    p2["#quot;1#quot; · A #lt;b> & c<br/>coder"]
    p3["3 · Part 3<br/>tester"]
    p4["4 · Part 4<br/>coder"]
    p1 --> p2
    p1 --> p3
    p2 --> p4
    p3 --> p4
    classDef critical stroke-width:3px
    class p1,p2,p4 critical
""" == mermaid(DIAMOND)


def test_a_plan_as_svg() -> None:
    """One box a phase, one arrow a dependency, the longest chain stressed; it needs no file."""
    root = ET.fromstring(svg(DIAMOND))  # noqa: S314 -- our own text
    boxes = [each.find(f"{SVG}text[@class='name']") for each in root.iter(f"{SVG}g")]
    assert ['1 Say "hi" `now` #1', '"1" A <b> & c', "3 Part 3", "4 Part 4"] == [
        each.text for each in boxes if each is not None
    ]
    kinds = [each.get("class") for each in root.iter(f"{SVG}path")]
    assert ["edge", "edge", "edge critical", "edge critical"] == kinds
    assert 3 == sum(each.get("class") == "phase critical" for each in root.iter(f"{SVG}rect"))
    assert "href" not in svg(DIAMOND)


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_no_two_boxes_of_a_picture_overlap(drawn: Plan) -> None:
    """And none leaves it."""
    root = ET.fromstring(svg(drawn))  # noqa: S314
    places = [
        tuple(map(float, (each.get("transform") or "")[10:-1].split(",")))
        for each in root.iter(f"{SVG}g")
    ]
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert len(drawn.phases) == len(set(places))
    for x, y in places:
        assert 0 < x < x + 210 < width
        assert 0 < y < y + 62 < height
        assert all(abs(y - b) >= 62 or a != x for a, b in places if (a, b) != (x, y))


def test_documentation_is_drawn_after_what_comes_last() -> None:
    """An arrow from each of those, and none from what others wait for."""
    manual = replace(phase(4), kind="documentation")
    drawn = mermaid(plan(phase(1), phase(2, 1), phase(3, 1), manual))
    arrows = [line.strip() for line in drawn.splitlines() if "-->" in line]
    assert ["p1 --> p2", "p1 --> p3", "p2 --> p4", "p3 --> p4"] == arrows
