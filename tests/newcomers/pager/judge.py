import pytest

from pager import paginate


def test_pages():
    assert paginate("abcdefg", 3, 3).items == "g"
    assert paginate("abcdefg", -1, 3).items == "g"
    assert paginate("abcdefg", 2, 3, orphans=1).items == "defg"
    assert paginate("abcdefg", 2, 3, orphans=1).pages == 2
    assert paginate("", 1, 3).pages == 1
    with pytest.raises(IndexError):
        paginate("abcdef", 3, 3)
