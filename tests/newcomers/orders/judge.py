from ledger import balance, report
from states import Order


def order(number, *states):
    made = Order(number, [("pen", 1, 100)])
    for at, state in enumerate(states, 1):
        made.go(state, at)
    return made


def test_only_what_is_refunded_is_given_back():
    assert balance([order(1, "paid", "refunded")]) == 0
    assert balance([order(1, "paid", "packed", "shipped", "returned")]) == 100


def test_the_report_counts_all_orders():
    orders = [order(1, "paid"), order(2, "cancelled")]
    assert report(orders) == ["paid: 1", "cancelled: 1", "open: 1", "balance: 100"]
