import pytest

from importer import price_list, summary


def test_each_step_and_each_run_has_its_own():
    rows = [{"sku": "a", "price": "x"}, {"sku": "", "price": "1"}, {"sku": "b", "price": "2"}]
    for _ in range(2):
        good, errors = price_list(rows)
        assert good == [rows[2]]
        assert summary(errors) == "required: 1, numeric: 1"


def test_strict():
    with pytest.raises(ValueError, match="sku is missing"):
        price_list([{"sku": "", "price": "1"}], strict=True)
