from recipes.card import card
from recipes.model import Ingredient, Recipe, parse
from recipes.scaling import scale
from recipes.shopping import shopping_list


def test_it_is_right():
    def handy(a, u):
        if u == "":
            return max(0.5, round(a * 2) / 2)
        if u in ("g", "ml") and a >= 20:
            return float(5 * round(a / 5))
        return round(a, 1)

    def book():
        return Recipe(
            "Stew",
            4,
            [
                Ingredient("beef", 800, "g"),
                Ingredient("onion", 3),
                Ingredient("salt", 7, "g"),
                Ingredient("stock", 1.2, "l"),
                Ingredient("wine", 185, "ml"),
            ],
            ["Chop.", "Cook."],
        )

    r = book()
    for guests in (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 23, 40, 3, 1, 4, 9, 2):
        s = scale(r, guests)
        assert r == book(), f"recipe changed by scaling to {guests}"
        assert s.serves == guests and s.title == "Stew" and s.steps == r.steps
        for i, o in zip(s.ingredients, book().ingredients):
            assert (i.name, i.unit) == (o.name, o.unit)
            assert abs(i.amount - handy(o.amount * guests / 4, o.unit)) < 1e-9, (guests, i)
        # changing the scaled one must not reach the book
        s.ingredients[0].amount = 1
        s.ingredients.append(Ingredient("x", 1))
        assert r == book(), "scaled recipe shares ingredients with the book"
    for bad in (0, -1):
        try:
            scale(r, bad)
        except ValueError:
            pass
        else:
            raise AssertionError("no guests accepted")
    a, b = scale(r, 8), scale(r, 2)
    assert a.amount_of("beef") == 1600 and b.amount_of("beef") == 400
    l1 = shopping_list([(r, 8), (r, 4)])
    l2 = shopping_list([(r, 8), (r, 4)])
    assert l1 == l2 and r == book()
    assert [x.amount for x in l1 if x.name == "beef"] == [2400]
    assert [x.name for x in shopping_list([(r, 4)], {("onion", ""): 3})] == [
        "beef",
        "salt",
        "stock",
        "wine",
    ]
    assert card(r, 8) == card(r, 8) and "- 1600 g beef" in card(r, 8) and "- 800 g beef" in card(r)
    assert parse("A\nserves 2\n1 | g | b\n\nGo.\n").steps == ["Go."]
