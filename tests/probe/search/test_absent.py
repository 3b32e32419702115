"""A name that is nowhere stays a fault, whatever way around it turns tests green."""

from __future__ import annotations

from searchplay import DebugRun


def test_a_guard_before_an_undefined_name_mends_nothing(shop: DebugRun) -> None:
    shop.write(
        {
            "cost.py": "def cost(prices, target):\n"
            "    closest = boundary\n"
            "    for price in sorted(prices):\n"
            "        if abs(price - target) < abs(closest - target):\n"
            "            closest = price\n"
            "    return closest\n",
            "test_cost.py": "from cost import cost\n\n"
            "def test_equal():\n    assert cost([3, 7], 7) == 7\n\n"
            "def test_near():\n    assert cost([2, 9], 8) == 9\n\n"
            "def test_same():\n    assert cost([4], 4) == 4\n",
        }
    )

    answer = shop.search(*(f"test_cost.py::test_{name}" for name in ("equal", "near", "same")))

    for each in answer.candidates:
        assert "boundary" not in shop.repaired(each)["cost.py"], each["description"]


def test_an_attribute_that_no_module_has_is_not_gone_around(shop: DebugRun) -> None:
    shop.write(
        {
            "half.py": "import math\n\n\ndef half(value):\n"
            "    if value > 9:\n        return math.halve(value, 2)\n"
            "    return value // 2\n",
            "test_half.py": "from half import half\n\n"
            "def test_ten():\n    assert half(10) == 5\n\n"
            "def test_many():\n    assert half(31) == 15\n",
        }
    )

    answer = shop.search("test_half.py::test_ten", "test_half.py::test_many")

    for each in answer.candidates:
        assert "math.halve" not in shop.repaired(each)["half.py"], each["description"]


def test_an_attribute_that_another_object_has_may_be_gone_around(shop: DebugRun) -> None:
    """That a value has no such method may be the fault of the condition before it."""
    shop.write(
        {
            "label.py": "def label(value):\n"
            "    if value is not None or value:\n        return value.title()\n"
            "    return ''\n\n\n"
            "def name(value):\n"
            "    if value is None:\n        return value.title()\n"
            "    return ''\n",
            "test_label.py": "from label import name\n\n"
            "def test_none():\n    assert name(None) == ''\n\n"
            "def test_word():\n    assert name('ann') == 'Ann'\n",
        }
    )

    answer = shop.search("test_label.py::test_none", "test_label.py::test_word")

    assert (
        "if value is not None:\n        return value.title()"
        in (shop.repaired(answer.first)["label.py"])
    )
