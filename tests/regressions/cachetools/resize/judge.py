import random

import pytest
from cachetools import FIFOCache, LFUCache, LRUCache, RRCache, TTLCache

MAKERS = {
    "fifo": lambda n, s: FIFOCache(n, getsizeof=s),
    "lru": lambda n, s: LRUCache(n, getsizeof=s),
    "lfu": lambda n, s: LFUCache(n, getsizeof=s),
    "rr": lambda n, s: RRCache(n, choice=min, getsizeof=s),
    "ttl": lambda n, s: TTLCache(n, ttl=10**6, getsizeof=s),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("to", [0, 1, 4, 5, 9, 10, 11, 50])
def test_sizes(name, to):
    cache = MAKERS[name](10, lambda value: value)
    for key, value in enumerate((1, 2, 3, 4)):
        cache[key] = value
    before = dict(cache)
    gone = dict(cache.resize(to))
    assert cache.maxsize == to
    assert cache.currsize == sum(cache.values()) <= to
    assert gone | dict(cache) == before
    if to >= 10:
        assert gone == {}


@pytest.mark.parametrize(("to", "kept"), [
    (10, [4, 5]), (9, [4, 5]), (8, [5]), (5, [5]), (4, []), (0, []),
])
def test_lru_order_and_no_more_than_needed(to, kept):
    cache = LRUCache(10, getsizeof=lambda value: value)
    cache["a"], cache["b"] = 4, 5
    cache.resize(to)
    assert sorted(cache.values()) == kept


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("to", [0, 1, 2, 3, 7])
def test_without_sizes(name, to):
    cache = MAKERS[name](3, None)
    for n in range(3):
        cache[n] = n
    gone = cache.resize(to)
    assert len(cache) == min(3, to)
    assert len(gone) == max(0, 3 - to)


@pytest.mark.parametrize("seed", range(4))
def test_use_after_resize(seed):
    numbers = random.Random(seed)
    cache = LRUCache(20, getsizeof=lambda value: value)
    for _ in range(200):
        if numbers.random() < 0.2:
            cache.resize(numbers.randrange(5, 30))
        value = numbers.randrange(0, 6)
        if value <= cache.maxsize:
            cache[numbers.randrange(8)] = value
        assert cache.currsize == sum(cache.values()) <= cache.maxsize


def test_zero_sized_elements_stay():
    cache = LRUCache(5, getsizeof=lambda value: value)
    for n in range(4):
        cache[n] = 0
    assert cache.resize(1) == []
    assert len(cache) == 4
    assert cache.resize(0) == []
    assert len(cache) == 4


def test_negative():
    cache = LRUCache(5)
    cache[1] = 1
    with pytest.raises(ValueError):
        cache.resize(-1)
    assert cache.maxsize == 5 and 1 in cache
