import ledger


def test_it_says_what_it_is():
    assert "expenses" in ledger.__doc__
