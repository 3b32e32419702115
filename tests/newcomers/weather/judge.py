import random
from datetime import datetime

from weather.readings import parse_line, read, since
from weather.report import report, warmest
from weather.summary import Summary, summarise
from weather.wind import chill, name


def test_it_is_right():
    rnd = random.Random(9)

    def lines(n, wet):
        return [
            f"2025-05-{1 + i // 24:02d} {i % 24:02d}:00 {rnd.randrange(-100, 300) / 10} {rnd.randrange(0, 40) / 10 if wet else 0.0}"
            for i in range(n)
        ]

    for n in (0, 1, 2, 3, 5, 8, 24, 25, 100):
        for wet in (True, False):
            ls = lines(n, wet)
            rs = [parse_line(l) for l in ls]
            with_noise = ["# c\n", ""] + [l + "\n" for l in ls] + ["  # end"]
            got = (
                report("S", with_noise),
                report("S", iter(with_noise)),
                report("S", (l for l in ls)),
            )
            if not n:
                want = "S: no readings."
                assert summarise([]) is None
            else:
                d = [r.degrees for r in rs]
                rain = round(sum(r.rain for r in rs), 1)
                wanted = Summary(n, min(d), max(d), round(sum(d) / n, 1), rain)
                assert summarise(rs) == wanted, (summarise(rs), wanted)
                assert summarise(tuple(rs)) == wanted
                want = f"S: {min(d)} to {max(d)} degrees, mean {round(sum(d) / n, 1)}, " + (
                    f"{rain} mm of rain." if rain else "dry."
                )
            assert set(got) == {want}, (got, want)
    a, b = lines(10, True), lines(10, True)
    hi = lambda ls: max(parse_line(l).degrees for l in ls)
    if hi(a) != hi(b):
        assert warmest({"a": a, "b": iter(b), "c": []}) == ("a" if hi(a) > hi(b) else "b")
    assert warmest({}) is None
    # finding a reading still reads no further than it must
    it = iter(["2025-05-19 14:00 1.0 0.2", "#", "2025-05-19 15:00 2.0 0.0", "cut off", "more"])
    assert since(read(it), datetime(2025, 5, 19, 14, 1)).degrees == 2.0
    assert next(it) == "cut off", "since(read()) is not lazy any more"
    assert since(read(["2025-05-19 14:00 1.0 0.2"]), datetime(2026, 1, 1)) is None
    assert chill(15, 40) == 15 and name(60) == "gale"
