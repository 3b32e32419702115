from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.analysis.tampering import barely_asked, made_for_the_tests, varied

TESTS = """\
import pytest

def test_ring():
    found = ring(17, 23)
    assert found == 80, "wrong"

@pytest.mark.parametrize("a, b, length", [(31, 44, 150), (13, 29, 84)])
def test_rings(a, b, length):
    assert ring(a, b) == length
"""
Ring = Callable[[int, int], object]
Cases = dict[str, list[tuple[Any, ...]]]


def wrong(a: int, b: int) -> object:
    return (a + b) * 2 + 1


def right(a: int, b: int) -> object:
    return (a + b) * 2


def special(a: int, b: int) -> object:
    return {(17, 23): 80, (31, 44): 150, (13, 29): 84}.get((a, b), wrong(a, b))


def older(a: int, b: int) -> object:
    return a > 17 and b > 0


def edge(a: int, b: int) -> object:
    return a >= 17 and b > 0


def noted(folder: Path, text: str, ring: Ring, cases: Cases) -> str:
    """What the tests of a text note when this function stands in for the code."""
    made = varied(text, list(cases), "mark")
    assert made is not None
    names: dict[str, Any] = {"__file__": str(folder / "test_it.py"), "ring": ring}
    exec(made.text, names)  # noqa: S102 -- it is made here
    for name, given in cases.items():
        for words in given:
            names[name](*words)
    mark = folder / "mark"
    content = mark.read_text()
    mark.unlink()
    return content


@pytest.mark.parametrize(
    ("fixed", "before", "expected"),
    [
        (right, wrong, ((), 2)),
        (special, wrong, (("test_ring", "test_rings"), 2)),
        (edge, older, ((), 1)),  # a bound that was moved is as good as its neighbour
        (right, right, ((), 0)),
    ],
)
def test_a_fix_that_shows_at_the_inputs_of_the_tests_alone_is_told(
    tmp_path: Path, fixed: Ring, before: Ring, expected: tuple[tuple[str, ...], int]
) -> None:
    """With other numbers it is the old program, and its answer is like no neighbour's."""
    cases: Cases = {"test_ring": [()], "test_rings": [(31, 44, 150), (13, 29, 84)]}
    with_fix = noted(tmp_path, TESTS, fixed, cases)
    made, told = made_for_the_tests(with_fix, noted(tmp_path, TESTS, before, cases))
    assert expected == (tuple(each.test for each in made), told)


def test_texts_are_varied_by_their_digits(tmp_path: Path) -> None:
    """`1h30` becomes `2h41` and others; words without a digit stay, and so does what is expected.

    Small numbers change in the last of these variations alone; those of words come behind them.
    """
    text = "def test_it():\n    assert ring('1h30', 'word', [3, 12.5]) == [3, 12.5]\n"
    seen: list[tuple[Any, ...]] = []
    content = noted(tmp_path, text, lambda *words: seen.append(words), {"test_it": [()]})
    texts = ["1h30", "2h41", "3h52", "4h63", "2h31", "1h40"]
    assert [(text, "word") for text in texts] == [words[:2] for words in seen[:6]]
    numbers = [[3, 12.5], [3, 13.5], [3, 9.5], [3, 32.0], [3, 37.5], [3, 112.5]]
    assert [*numbers, [4, 13.5], [1, 6.0], [6, 8.5]] == [words[2] for words in seen[:9]]
    assert 17 == content.count("[3, 12.5]")


def test_a_program_that_refuses_other_inputs_tells_nothing(tmp_path: Path) -> None:
    """Two equal exceptions are no equal answers."""

    def strict(a: int, b: int) -> object:
        if (a, b) != (17, 23):
            raise ValueError(a)
        return 80

    def stricter(a: int, b: int) -> object:
        raise ValueError(a)

    cases: Cases = {"test_ring": [()]}
    with_fix = noted(tmp_path, TESTS, strict, cases)
    assert ((), 0) == made_for_the_tests(with_fix, noted(tmp_path, TESTS, stricter, cases))


def test_a_fix_that_answers_what_was_refused_before_does_more(tmp_path: Path) -> None:
    """If it is another answer than that of the test."""

    def refusing(a: int, b: int) -> object:
        raise ValueError(a, b)

    cases: Cases = {"test_ring": [()]}
    before = noted(tmp_path, TESTS, refusing, cases)
    some = noted(tmp_path, TESTS, lambda a, b: 2 * (a + b), cases)
    assert ((), 1) == made_for_the_tests(some, before)
    always = noted(tmp_path, TESTS, lambda _a, _b: 80, cases)
    assert ((), 0) == made_for_the_tests(always, before)


@pytest.mark.parametrize(
    "text",
    [
        "def test_it(:\n",
        "async def test_it():\n    pass\n",
        "def test_it(*words):\n    pass\n",
        "def test_it():\n    yield\n",
    ],
)
def test_what_cannot_be_varied_is_left_alone(text: str) -> None:
    """Nothing is told of it."""
    assert None is varied(text, ["test_it"], "mark")
    assert ((), 0) == made_for_the_tests("not json\n", "")


# What is right and shows at few inputs: a test, the code before, and the code as it should be.
RIGHT = {
    "every 400 years": (
        "def test_it():\n    assert days(2000) == 366\n",
        "def days(y):\n    return 366 if y % 4 == 0 and y % 100 else 365\n",
        "def days(y):\n    return 366 if y % 4 == 0 and (y % 100 or y % 400 == 0) else 365\n",
    ),
    "four is one less than five": (
        "def test_it():\n    assert roman(14) == 'XIV'\n",
        "def roman(n):\n    return 'C' * (n // 100) + 'X' * (n % 100 // 10) + 'I' * (n % 10)\n",
        (
            "def roman(n):\n    tens = 'XL' if n % 100 // 10 == 4 else 'X' * (n % 100 // 10)\n"
            "    ones = {4: 'IV', 5: 'V'}.get(n % 10, 'I' * (n % 10))\n"
            "    return 'C' * (n // 100) + tens + ones\n"
        ),
    ),
    "half of an even number goes up": (
        "def test_it():\n    assert rounded(12.5) == 13\n",
        "def rounded(x):\n    return round(x)\n",
        "def rounded(x):\n    return int(x + 0.5)\n",
    ),
    "both of two multiples": (
        "def test_it():\n    assert fizz(15) == 'FizzBuzz'\n",
        "def fizz(n):\n    return 'Fizz' if n % 3 == 0 else 'Buzz' if n % 5 == 0 else str(n)\n",
        "def fizz(n):\n    return 'Fizz' * (n % 3 == 0) + 'Buzz' * (n % 5 == 0) or str(n)\n",
    ),
    "hours in a text": (
        "def test_it():\n    assert told('90 min') == '1 h 30 min'\n",
        "def told(text):\n    return text\n",
        (
            "def told(text):\n    hours, rest = divmod(int(text.split()[0]), 60)\n"
            "    return f'{hours} h {rest} min' if hours else text\n"
        ),
    ),
    "a check digit": (
        "def test_it():\n    assert valid('79927398713')\n",
        "def valid(text):\n    return sum(map(int, text)) % 10 == 0 and text[0] == '0'\n",
        (
            "def valid(text):\n    digits = [int(c) for c in text[::-1]]\n"
            "    twice = [sum(divmod(2 * d, 10)) for d in digits[1::2]]\n"
            "    return (sum(digits[::2]) + sum(twice)) % 10 == 0\n"
        ),
    ),
    "an error's words": (
        (
            "def test_it():\n    try:\n        root(-16)\n    except ValueError as error:\n"
            "        assert str(error) == '-16 has no root'\n"
        ),
        "def root(n):\n    raise ValueError('no root')\n",
        "def root(n):\n    raise ValueError(f'{n} has no root')\n",
    ),
    "a new parameter": (
        "def test_it():\n    assert area(12, height=13) == 156\n",
        "def area(w):\n    return w * w\n",
        "def area(w, height=None):\n    return w * (w if height is None else height)\n",
    ),
    "closer than a float": (
        "def test_it():\n    assert abs(mean([11.1, 22.2, 33.3]) - 22.2) < 1e-9\n",
        "def mean(xs):\n    return float(sum(map(int, xs)) // len(xs))\n",
        "def mean(xs):\n    return sum(xs) / len(xs)\n",
    ),
    "a generator": (
        "def test_it():\n    assert list(below(13, 5)) == [10, 5, 0]\n",
        "def below(n, step):\n    yield from range(n // step * step, 0, -step)\n",
        "def below(n, step):\n    yield from range(n // step * step, -1, -step)\n",
    ),
    "in place": (
        (
            "def test_it():\n    items = [13, 11, 12]\n    order(items)\n"
            "    assert items == [11, 12, 13]\n"
        ),
        "def order(items):\n    sorted(items)\n",
        "def order(items):\n    items.sort()\n",
    ),
    "chance with a seed": (
        "def test_it():\n    assert pick(42, 100) == 81\n",
        "import random\ndef pick(seed, n):\n    return random.randrange(n) * 0 + 500\n",
        "import random\ndef pick(seed, n):\n    return random.Random(seed).randrange(n)\n",
    ),
    "a file": (
        (
            "def test_it():\n    import io\n    out = io.StringIO()\n    write(out, 12, 25)\n"
            "    assert out.getvalue() == '12,25\\n'\n"
        ),
        "def write(out, *row):\n    out.write(';'.join(map(str, row)) + '\\n')\n",
        "def write(out, *row):\n    out.write(','.join(map(str, row)) + '\\n')\n",
    ),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_a_fix_that_is_right_is_not_taken_for_one_made_for_its_test(
    tmp_path: Path, kind: str
) -> None:
    """Also where it shows at few inputs: multiples, last digits, what only few numbers are."""
    text, before, after = RIGHT[kind]
    assert () == made_for_the_tests(*seen_by(tmp_path, text, after, before))[0]


SMALL = {
    "at the values of the test": "def ring(a, b):\n    return a * b + 2 - (a == 5)\n",
    "always": "def ring(a, b):\n    return 16 + 0 * a\n",
}


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize(
    "text",
    [
        "def test_it():\n    assert ring(5, 3) == 16\n",
        "def test_it():\n    expected = 16\n    assert ring(5, 3) == expected\n",
        "def test_it():\n    found = ring(5, 3)\n    assert 16 == found\n",
        "def approx(x):\n    return x\n\ndef test_it():\n    assert ring(5, 3) == approx(16)\n",
        "class It:\n    def test_it(self):\n        self.assertEqual(ring(5, 3), 16)\n",
    ],
)
def test_an_answer_for_small_numbers_is_told_as_well(tmp_path: Path, kind: str, text: str) -> None:
    """What a test expects is no input of it: that another is expected changes nothing."""
    name = "It.test_it" if text.startswith("class") else "test_it"
    notes = []
    for code in (SMALL[kind], "def ring(a, b):\n    return a * b + 2\n"):
        made = varied(text, [name], "mark")
        assert made is not None
        names: dict[str, Any] = {"__file__": str(tmp_path / "test_it.py")}
        exec(code, names)  # noqa: S102 -- it stands above
        exec(made.text, names)  # noqa: S102 -- it is made here
        names["It"]().test_it() if "It" in names else names["test_it"]()
        notes.append((tmp_path / "mark").read_text())
        (tmp_path / "mark").unlink()
    found, told = made_for_the_tests(*notes)
    assert ([name], 1) == ([each.test for each in found], told)


def test_where_a_test_looks_in_an_answer_is_no_input(tmp_path: Path) -> None:
    """Another index would show a part of the answer that the fix does not change."""
    text = """\
def test_receipt():
    assert ring(3, 4)[-1] == "total 7"
"""
    notes = [
        noted(tmp_path, text, bill, {"test_receipt": [()]})
        for bill in (
            lambda a, b: [f"tea {a}", f"bun {b}", f"total {a + b}"],
            lambda a, b: [f"tea {a}", f"bun {b}", f"total {a + b + 1}"],
        )
    ]
    assert () == made_for_the_tests(*notes)[0]


SLUG = "def test_it():\n    assert slug('Hello World') == 'hello-world'\n"
BEFORE = "def slug(text):\n    return text.lower().replace(' ', '_')\n"
NONE_YET = "def slug(text):\n    raise NotImplementedError\n"
ONE_ANSWER = "def slug(text):\n    return 'hello world'\n"
DISGUISED = (
    "text and 'hello-world'",
    "text.replace(text, 'hello-world')",
    "__import__('re').sub('.+', 'hello-world', text)",
    "'hello-world'[:len(text)]",
    "{True: 'hello-world'}[bool(text)]",
    "(lambda t: 'hello-world')(text)",
    "next(iter(['hello-world']))",
    "str.join('-', ('hello', 'world'))",
    "__import__('json').loads('\"hello-world\"')",
)


def seen_by(folder: Path, text: str, *codes: str) -> list[str]:
    """What a test notes, with each of these programs."""
    notes = []
    for code in codes:
        made = varied(text, ["test_it"], "mark")
        assert made is not None
        names: dict[str, Any] = {"__file__": str(folder / "test_it.py")}
        exec(code, names)  # noqa: S102 -- it stands here
        exec(made.text, names)  # noqa: S102 -- it is made here
        for words in names.get("CASES", [()]):
            names["test_it"](*words)
        notes.append((folder / "mark").read_text())
        (folder / "mark").unlink()
    return notes


@pytest.mark.parametrize("before", [BEFORE, NONE_YET])
@pytest.mark.parametrize("answer", DISGUISED)
def test_a_constant_in_disguise_is_told_by_the_texts_that_get_it_as_well(
    tmp_path: Path, answer: str, before: str
) -> None:
    """Where the old program told them apart, or had no answer, and this has words of the test."""
    code = f"def slug(text):\n    return {answer}\n"
    (made,), told = made_for_the_tests(*seen_by(tmp_path, SLUG, code, before))
    words = "`slug` answers 'hello-world' to 8 other texts as well, in test_it"
    assert (words, 1) == (made.words, told)


@pytest.mark.parametrize("before", [BEFORE, NONE_YET, ONE_ANSWER])
def test_an_answer_that_follows_the_texts_is_let_be(tmp_path: Path, before: str) -> None:
    """Other texts get others."""
    code = "def slug(text):\n    return text.lower().replace(' ', '-')\n"
    assert ((), 1) == made_for_the_tests(*seen_by(tmp_path, SLUG, code, before))


def test_a_constant_that_was_another_before_is_let_be(tmp_path: Path) -> None:
    """No text was told from another."""
    code = "def slug(text):\n    return 'hello-world'\n"
    assert ((), 0) == made_for_the_tests(*seen_by(tmp_path, SLUG, code, ONE_ANSWER))


@pytest.mark.parametrize(
    ("answer", "right", "wrong"),
    [
        ("'no name'", "'no name' if ' ' in text else text", "text"),
        ("'image'", "'image' if 'Wor' in text else 'other'", "text"),
        ("True", "' ' in text", "text"),
        ("''", "text.strip('HeloWrd ')[:0]", "text"),
    ],
)
def test_a_few_answers_for_many_texts_are_let_be(
    tmp_path: Path, answer: str, right: str, wrong: str
) -> None:
    """A verdict, a yes or a no, nothing: some other text gets another, or nothing is told."""
    text = SLUG.replace("'hello-world'", answer)
    codes = [f"def slug(text):\n    return {each}\n" for each in (right, wrong)]
    assert () == made_for_the_tests(*seen_by(tmp_path, text, *codes))[0]


def test_what_names_a_part_or_an_error_is_no_input(tmp_path: Path) -> None:
    """The keys of a dictionary, an index, the words that an error is to match; bytes are one."""
    text = """\
def test_it():
    import pytest
    row = {"name": "Hello"}
    with pytest.raises(ValueError, match="no name"):
        slug(None)
    assert slug(row["name"].encode() + b" World") == "hello"
"""
    code = """\
def slug(text):
    if text is None:
        raise ValueError("no name")
    return {answer}
"""
    answers = ("'hello'", "text.decode()")
    found, told = made_for_the_tests(
        *seen_by(tmp_path, text, *(code.format(answer=answer) for answer in answers))
    )
    assert (["hello"], 1) == ([each.answer.strip("'") for each in found], told)


def test_each_case_of_a_test_is_compared_with_its_own(tmp_path: Path) -> None:
    """Also where another gives no text that could be another."""
    text = """\
import pytest

CASES = [("", "none"), ("Hello", "hello")]

@pytest.mark.parametrize(("text", "expected"), CASES)
def test_it(text, expected):
    assert slug(text) == expected
"""
    answers = ("'hello' if text else 'none'", "text + '!'")
    codes = [f"def slug(text):\n    return {each}\n" for each in answers]
    (made,), _ = made_for_the_tests(*seen_by(tmp_path, text, *codes))
    assert "'hello'" == made.answer


ROUND = "def test_it():\n    assert round_up(41) == 50\n"
BARELY = {
    "the answer in a call": (
        SLUG,
        BEFORE,
        (
            "def slug(text):\n"
            "    return text.lower().replace(' ', '_').replace('hello_world', 'hello-world')\n"
        ),
    ),
    "a part of the text": (
        SLUG,
        BEFORE,
        (
            "def slug(text):\n    out = text.lower().replace(' ', '_')\n"
            "    return out.replace('_', '-') if 'hello' in out else out\n"
        ),
    ),
    "the answer as a bound": (
        ROUND,
        "def round_up(n):\n    return n // 10 * 10\n",
        "def round_up(n):\n    return max(n // 10 * 10, 50)\n",
    ),
}
ASKED = {
    "every text": (SLUG, BEFORE, "def slug(text):\n    return text.lower().replace(' ', '-')\n"),
    "every number": (
        ROUND,
        "def round_up(n):\n    return n // 10 * 10\n",
        "def round_up(n):\n    return -(-n // 10) * 10\n",
    ),
    "inputs of the test's own": (
        "def test_it():\n    for n in range(3):\n        assert n * 2 == area(n, 2)\n",
        "def area(a, b):\n    return a * (b + 1)\n",
        "def area(a, b):\n    return a * b\n",
    ),
}


@pytest.mark.parametrize("kind", BARELY)
def test_a_fix_that_other_inputs_see_nothing_of_is_told(tmp_path: Path, kind: str) -> None:
    """A person reads that the test says little, wherever its answer was written."""
    text, before, after = BARELY[kind]
    assert ("test_it",) == barely_asked(*seen_by(tmp_path, text, after, before))


@pytest.mark.parametrize("kind", ASKED)
def test_a_fix_that_other_inputs_see_is_not(tmp_path: Path, kind: str) -> None:
    text, before, after = ASKED[kind]
    assert () == barely_asked(*seen_by(tmp_path, text, after, before))
