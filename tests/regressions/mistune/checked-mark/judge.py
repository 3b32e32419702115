import mistune
import pytest

BOX = '<input class="task-list-item-checkbox" type="checkbox" disabled{}/>'
ITEM = '<li class="task-list-item">{}</li>'
MARKS = [("[ ]", ""), ("[x]", " checked"), ("[X]", " checked")]


def html(text):
    return mistune.create_markdown(escape=False, plugins=["task_lists"])(text)


@pytest.mark.parametrize(("mark", "state"), MARKS)
@pytest.mark.parametrize("bullet", ["-", "*", "+"])
@pytest.mark.parametrize("text", ["foo", "foo *bar*", "[x] foo"])
def test_marks(mark, state, bullet, text):
    inner = mistune.html(text).strip().removeprefix("<p>").removesuffix("</p>")
    assert html(f"{bullet} {mark} {text}\n") == "<ul>\n" + ITEM.format(BOX.format(state) + inner) + "\n</ul>\n"


@pytest.mark.parametrize(("mark", "state"), MARKS)
def test_ordered_and_loose(mark, state):
    assert html(f"1. {mark} foo\n") == "<ol>\n" + ITEM.format(BOX.format(state) + "foo") + "\n</ol>\n"
    assert f"<p>{BOX.format(state)}foo</p>" in html(f"- {mark} foo\n\n  more\n")


@pytest.mark.parametrize(("mark", "state"), MARKS)
def test_nested(mark, state):
    assert BOX.format(state) + "inner" in html(f"- outer\n  - {mark} inner\n")


@pytest.mark.parametrize("text", ["[y] foo", "[] foo", "[xx] foo", "[x]foo", "[  ] foo", "x foo", "(x) foo"])
def test_no_task(text):
    assert "task-list-item" not in html(f"- {text}\n")


def test_tree():
    tree = mistune.create_markdown(renderer=None, plugins=["task_lists"])("- [X] a\n- [x] b\n- [ ] c\n- d\n")
    assert [item.get("attrs") for item in tree[0]["children"]] == [{"checked": True}, {"checked": True}, {"checked": False}, None]
