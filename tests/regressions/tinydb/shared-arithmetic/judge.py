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


from tinydb.operations import add, decrement, delete, increment, set, subtract

PAIRS = [(1, 5), (0, 3), (10, -4), (2.5, 0.5), (-7, 7), (0, 0), (100, 1), (1, 0.25), (-1, -1)]


@pytest.mark.parametrize(("value", "n"), PAIRS)
def test_subtract(value, n):
    doc = {"v": value, "w": 9}
    assert subtract("v", n)(doc) is None
    assert doc == {"v": value - n, "w": 9}


@pytest.mark.parametrize(("value", "n"), PAIRS)
def test_add(value, n):
    doc = {"v": value, "w": 9}
    add("v", n)(doc)
    assert doc == {"v": value + n, "w": 9}


@pytest.mark.parametrize(("value", "n"), PAIRS)
def test_there_and_back(value, n):
    doc = {"v": value}
    add("v", n)(doc)
    subtract("v", n)(doc)
    assert doc == {"v": value}


@pytest.mark.parametrize("value", [0, 1, -1, 2.5, 10**20])
def test_one(value):
    doc = {"v": value}
    increment("v")(doc)
    assert doc == {"v": value + 1}
    decrement("v")(doc)
    decrement("v")(doc)
    assert doc == {"v": value + 1 - 1 - 1}


@pytest.mark.parametrize("make", [increment, decrement, delete])
def test_missing(make):
    with pytest.raises(KeyError):
        make("x")({})


@pytest.mark.parametrize("make", [add, subtract])
def test_missing_with_number(make):
    with pytest.raises(KeyError):
        make("x", 1)({})


def test_in_table(db):
    db.insert_multiple([{"n": n} for n in range(4)])
    db.update(subtract("n", 2), where("n") >= 2)
    assert [d["n"] for d in db] == [0, 1, 0, 1]
    db.update(add("n", 3))
    assert [d["n"] for d in db] == [3, 4, 3, 4]
    db.update(set("n", 7), doc_ids=[1])
    assert [d["n"] for d in db] == [7, 4, 3, 4]
