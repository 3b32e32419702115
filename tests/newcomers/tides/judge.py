from datetime import datetime, timedelta

from tides.board import board, spoken
from tides.lock import minutes_to_wait, openings
from tides.table import Tide, highs


def test_it_is_right():
    base = datetime(2025, 3, 27, 0, 0)

    def tab(*heights):
        return [Tide(base + timedelta(hours=6 * i), h) for i, h in enumerate(heights)]

    # closed for several days, then one high at hour 6*k
    for k in (1, 3, 4, 5, 7, 9, 13):
        t = tab(
            *[2.0 if i % 2 else 1.0 for i in range(k)],
            *([1.0, 5.0, 1.0] if k % 2 == 0 else [5.0, 1.0]),
        )
        ops = openings(t, 3.0)
        assert len(ops) == 1, (k, ops)
        start = ops[0].start
        assert abs((start - base) - timedelta(hours=6 * (len(t) - 2) - 3)) < timedelta(hours=1.6), (
            start
        )
        for back in (1, 59, 60, 61, 180, 719, 1439, 1440, 1441, 1500, 2879, 2880, 2881, 4000):
            now = start - timedelta(minutes=back)
            got = minutes_to_wait(t, 3.0, now)
            assert got == back, (k, back, got)
        assert minutes_to_wait(t, 3.0, start) == 0
        assert minutes_to_wait(t, 3.0, ops[0].end) is None
        # partial minutes are cut, as before
        assert minutes_to_wait(t, 3.0, start - timedelta(minutes=9, seconds=30)) == 9
    assert minutes_to_wait([], 3, base) is None
    t = tab(1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 5.0, 1.0)
    lines = board(t, {"b": 3.0, "a": 6.0}, base)
    wait = openings(t, 3.0)[0].start - base
    assert wait > timedelta(days=1)
    m = int(wait.total_seconds() // 60)
    assert lines == ["a: no opening in this table", f"b: opens in {m // 60} h {m % 60:02d} min"], (
        lines
    )
    assert spoken(61) == "opens in 1 h 01 min"
    assert [x.height for x in highs(t)] == [2.0, 2.0, 2.0, 5.0]
