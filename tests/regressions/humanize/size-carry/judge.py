import pytest
from humanize import naturalsize

POSITIVE = [
    ((999,), "999 Bytes"), ((1000,), "1.0 kB"), ((999_949,), "999.9 kB"), ((999_950,), "1.0 MB"),
    ((999_999,), "1.0 MB"), ((10**9 - 1,), "1.0 GB"), ((10**12 - 1,), "1.0 TB"), ((10**15 - 1,), "1.0 PB"),
    ((123_456_789,), "123.5 MB"), ((1024**2 - 1, True), "1.0 MiB"), ((1024**3 - 1, True), "1.0 GiB"),
    ((1023, True), "1023 Bytes"), ((1024, True), "1.0 KiB"), ((1024**2 - 1, False, True), "1.0M"),
    ((1024**3 - 1, False, True), "1.0G"), ((3000, False, True), "2.9K"), ((300, False, True), "300B"),
    ((999_999, False, False, "%.3f"), "999.999 kB"), ((999_999, False, False, "%.0f"), "1 MB"),
    ((999_499, False, False, "%.0f"), "999 kB"), ((10**34 * 3,), "30000.0 QB"), ((10**33 - 1,), "1000.0 RB"),
    ((1,), "1 Byte"), ((2,), "2 Bytes"), ((10**28,), "10.0 RB"), ((1_500_000,), "1.5 MB"),
]
POSITIVE[21] = ((10**30 - 1,), "1.0 QB")


@pytest.mark.parametrize(("args", "wanted"), POSITIVE)
def test_sizes(args, wanted):
    value, *rest = args
    assert naturalsize(value, *rest) == wanted
    assert naturalsize(str(value), *rest) == wanted


@pytest.mark.parametrize(("args", "wanted"), POSITIVE)
def test_negative(args, wanted):
    value, *rest = args
    assert naturalsize(-value, *rest) == "-" + wanted
    assert naturalsize(f"-{value}", *rest) == "-" + wanted


def test_zero():
    assert naturalsize(0) == "0 Bytes"
    assert naturalsize(0, gnu=True) == "0B"
