import pytest
from tinydb import TinyDB, Query, where
from tinydb.storages import MemoryStorage, JSONStorage
from tinydb.table import Document, Table
from tinydb.middlewares import CachingMiddleware


@pytest.fixture
def db():
    base = TinyDB(storage=MemoryStorage)
    yield base
    base.close()


def change_pop(found):
    found.pop()


def change_clear(found):
    found.clear()


def change_append(found):
    found.append({"x": 1})


def change_sort(found):
    found.sort(key=lambda d: -d["n"])


def change_replace(found):
    found[0] = None


CHANGES = [change_pop, change_clear, change_append, change_sort, change_replace]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("cond", [where("n") >= 0, where("n") < 3, where("n").exists()])
def test_result_is_ours(db, change, times, cond):
    db.insert_multiple([{"n": n} for n in range(5)])
    wanted = [d for d in db.all() if cond(d)]
    for _ in range(times):
        change(db.search(cond))
        assert db.search(cond) == wanted
        assert db.count(cond) == len(wanted)


@pytest.mark.parametrize("change", CHANGES)
def test_second_result(db, change):
    db.insert_multiple([{"n": n} for n in range(3)])
    first = db.search(where("n") >= 0)
    second = db.search(where("n") >= 0)
    change(second)
    assert first == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert db.search(where("n") >= 0) == first


def test_never_the_same_list(db):
    db.insert({"n": 1})
    cond = where("n") == 1
    found = [db.search(cond) for _ in range(4)]
    assert len({id(x) for x in found}) == 4


def test_empty_result(db):
    cond = where("n") == 1
    db.search(cond).append("x")
    assert db.search(cond) == []
    db.search(cond).append("x")
    assert db.search(cond) == []


def test_not_cacheable(db):
    db.insert({"n": 1})
    cond = where("n").map(lambda n: n) == 1
    db.search(cond).clear()
    assert db.search(cond) == [{"n": 1}]


def test_writing_drops_the_cache(db):
    cond = where("n") == 1
    assert db.count(cond) == 0
    db.insert({"n": 1})
    assert db.count(cond) == 1
    db.remove(cond)
    assert db.count(cond) == 0


def test_still_cached():
    base = TinyDB(storage=MemoryStorage)
    table = base.table("t", cache_size=2)
    table.insert({"n": 1})
    calls = []

    class Q:
        def __call__(self, doc):
            calls.append(1)
            return True

        def __hash__(self):
            return 1

    q = Q()
    assert table.search(q) == table.search(q)
    assert len(calls) == 1
