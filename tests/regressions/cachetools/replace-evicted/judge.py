import random

import pytest
from cachetools import Cache, FIFOCache, LFUCache, LRUCache, RRCache, TLRUCache, TTLCache

MAKERS = {
    "fifo": lambda n, s: FIFOCache(n, getsizeof=s),
    "lru": lambda n, s: LRUCache(n, getsizeof=s),
    "lfu": lambda n, s: LFUCache(n, getsizeof=s),
    "rr": lambda n, s: RRCache(n, choice=min, getsizeof=s),
    "ttl": lambda n, s: TTLCache(n, ttl=10**6, getsizeof=s),
    "tlru": lambda n, s: TLRUCache(n, ttu=lambda k, v, t: t + 10**6, getsizeof=s),
    "plain": lambda n, s: Cache(n, getsizeof=s),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", range(5))
def test_size_is_the_sum(name, seed):
    numbers = random.Random(seed)
    cache = MAKERS[name](10, lambda value: value)
    for _ in range(300):
        key, value = numbers.randrange(5), numbers.randrange(0, 11)
        cache[key] = value
        assert cache[key] == value
        assert cache.currsize == sum(cache.values()) <= 10
        if numbers.random() < 0.1:
            del cache[key]
            assert cache.currsize == sum(cache.values())


@pytest.mark.parametrize("name", ["fifo", "lru", "rr"])
def test_first_grows(name):
    cache = MAKERS[name](10, lambda value: value)
    cache[1] = 3
    cache[2] = 6
    cache[1] = 9
    assert cache[1] == 9
    assert cache.currsize == 9
    assert 2 not in cache
    cache[3] = 1
    assert cache.currsize == 10
    assert 1 in cache and 3 in cache


@pytest.mark.parametrize(("before", "after", "currsize"), [
    ((2, 2, 2), 3, 7), ((5, 5), 5, 10), ((1, 9), 2, 2), ((3, 3, 3), 10, 10), ((4, 4), 1, 5), ((0, 10), 1, 1),
])
def test_lru_replaces_the_oldest(before, after, currsize):
    cache = LRUCache(10, getsizeof=lambda value: value)
    for key, value in enumerate(before):
        cache[key] = value
    cache[0] = after
    assert cache[0] == after
    assert cache.currsize == sum(cache.values()) == currsize


@pytest.mark.parametrize("name", MAKERS)
def test_without_sizes(name):
    cache = MAKERS[name](3, None)
    for key in range(20):
        cache[key % 7] = key
        assert cache.currsize == len(cache) <= 3
        assert cache[key % 7] == key


@pytest.mark.parametrize("name", MAKERS)
def test_rejected(name):
    cache = MAKERS[name](3, lambda value: value)
    with pytest.raises(ValueError):
        cache[1] = 4
    with pytest.raises(ValueError):
        cache[1] = -1
    assert cache.currsize == 0 and len(cache) == 0


@pytest.mark.parametrize("name", MAKERS)
def test_no_room_at_all(name):
    with pytest.raises(ValueError):
        MAKERS[name](0, None)[1] = 1
