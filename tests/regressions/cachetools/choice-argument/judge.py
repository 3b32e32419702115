import random

import pytest
from cachetools import func


def recording(pick):
    asked = []

    def choice(keys):
        asked.append(len(keys))
        return pick(keys)

    return choice, asked


@pytest.mark.parametrize("maxsize", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("pick", [min, max, lambda keys: keys[0], lambda keys: keys[-1]])
def test_choice_decides(maxsize, pick):
    choice, asked = recording(pick)
    cached = func.rr_cache(maxsize=maxsize, choice=choice)(lambda n: n)
    kept = []
    for n in range(maxsize + 4):
        if len(kept) == maxsize:
            kept.remove(pick(list(kept)))
        cached(n)
        kept.append(n)
    assert asked == [maxsize] * 4
    if pick in (min, max):
        for n in kept:
            cached(n)
        assert cached.cache_info().hits == maxsize


def test_choice_positional():
    choice, asked = recording(min)
    cached = func.rr_cache(1, choice)(lambda n: n)
    cached(1), cached(2)
    assert asked == [1]
    assert cached.cache_parameters() == {"maxsize": 1, "typed": False}


def test_typed_with_choice():
    choice, asked = recording(lambda keys: keys[0])
    cached = func.rr_cache(2, choice, True)(lambda n: repr(n))
    assert [cached(1), cached(1.0), cached(True)] == ["1", "1.0", "True"]
    assert asked == [2]
    assert cached.cache_parameters() == {"maxsize": 2, "typed": True}


def test_choice_never_asked_without_size():
    choice, asked = recording(min)
    cached = func.rr_cache(maxsize=None, choice=choice)(lambda n: n)
    for n in range(500):
        cached(n)
    assert asked == []
    assert cached.cache_info().currsize == 500


def test_with_bare_function():
    @func.rr_cache
    def same(n):
        return n

    for n in range(300):
        assert same(n) == n
    assert same.cache_info().currsize == 128
    choice, asked = recording(min)
    bare = func.rr_cache(lambda n: n, choice)
    for n in range(130):
        bare(n)
    assert asked == [128, 128]


def test_default_is_random():
    state = random.getstate()
    cached = func.rr_cache(maxsize=2)(lambda n: n)
    for n in range(50):
        cached(n)
    assert random.getstate() != state


@pytest.mark.parametrize("name", ["fifo_cache", "lfu_cache", "lru_cache", "rr_cache", "ttl_cache"])
@pytest.mark.parametrize("maxsize", [None, 1, 7])
@pytest.mark.parametrize("typed", [True, False])
def test_others(name, maxsize, typed):
    cached = getattr(func, name)(maxsize=maxsize, typed=typed)(lambda n: n)
    for n in range(9):
        cached(n)
    info = cached.cache_info()
    assert info.maxsize == maxsize
    assert info.currsize == (9 if maxsize is None else maxsize)
    assert cached.cache_parameters() == {"maxsize": maxsize, "typed": typed}
