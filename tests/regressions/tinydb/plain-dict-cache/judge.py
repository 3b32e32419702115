import random

import pytest
from tinydb import TinyDB, where
from tinydb.storages import MemoryStorage
from tinydb.utils import LRUCache


@pytest.mark.parametrize("capacity", [1, 2, 3, 5, None])
@pytest.mark.parametrize("seed", range(6))
def test_against_a_model(capacity, seed):
    numbers = random.Random(seed)
    cache, model = LRUCache(capacity), []
    values = {}
    for step in range(300):
        key = numbers.randrange(7)
        action = numbers.choice(["get", "get", "item", "set", "set", "in", "delete"])
        if action == "set":
            cache[key] = values[key] = step + 1
            model = [k for k in model if k != key] + [key]
            if capacity is not None:
                model = model[-capacity:]
        elif action == "get":
            assert cache.get(key, "no") == (values[key] if key in model else "no")
            model = [k for k in model if k != key] + [key] * (key in model)
        elif action == "item" and key in model:
            assert cache[key] == values[key]
            model = [k for k in model if k != key] + [key]
        elif action == "in":
            assert (key in cache) == (key in model)
        elif action == "delete" and key in model:
            del cache[key]
            model.remove(key)
        assert cache.lru == list(cache) == model
        assert len(cache) == cache.length == len(model)


@pytest.mark.parametrize(("used", "gone"), [(["a"], "b"), (["b"], "a"), (["a", "b"], "c"), ([], "a"), (["c"], "a"), (["a", "c"], "b"), (["x"], "a")])
@pytest.mark.parametrize("how", ["get", "item"])
def test_what_is_dropped(used, gone, how):
    cache = LRUCache(3)
    for key in "abc":
        cache[key] = key.upper()
    for key in used:
        if how == "get" or key == "x":
            cache.get(key)
        else:
            cache[key]
    cache["d"] = "D"
    assert set(cache) == set("abcd") - {gone}


def test_missing():
    cache = LRUCache(2)
    with pytest.raises(KeyError):
        cache["x"]
    assert cache.get("x") is None and cache.get("x", 5) == 5
    with pytest.raises(KeyError):
        del cache["x"]
    cache["a"] = 1
    cache.clear()
    assert len(cache) == 0 and cache.lru == []


def test_queries():
    table = TinyDB(storage=MemoryStorage).table("t", cache_size=2)
    table.insert_multiple([{"n": n} for n in range(3)])
    one, two, three = (where("n") == n for n in range(3))
    table.search(one), table.search(two), table.search(one), table.search(three)
    assert table._query_cache.lru == [one, three]
