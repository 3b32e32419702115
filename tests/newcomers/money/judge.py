from money import split
from refunds import refund_lines


def test_parts_sum_up():
    for amount in range(200):
        for weights in ([1, 1, 1], [2, 3], [5, 1, 1, 7]):
            parts = split(amount, weights)
            assert sum(parts) == amount
            assert all(abs(p - amount * w / sum(weights)) < 1 for p, w in zip(parts, weights))


def test_callers_by_name():
    assert refund_lines(1000, [("pen", 100), ("ink", 300)]) == [("pen", "2.50"), ("ink", "7.50")]
