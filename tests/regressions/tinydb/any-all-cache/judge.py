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


DOCS = [
    {"tags": ["a"]},
    {"tags": ["a", "b"]},
    {"tags": ["c"]},
    {"tags": []},
    {"tags": [{"n": 1}, {"n": 2}]},
    {"tags": [{"n": 1}, {"n": 1}]},
    {"other": ["a"]},
    {"tags": 5},
]


def fill(db):
    db.insert_multiple(DOCS)
    return db


@pytest.mark.parametrize("items", [["a"], ["a", "b"], ["b", "c"], ["z"], ["a", "b", "c"]])
@pytest.mark.parametrize("first", ["any", "all"])
def test_lists(db, items, first):
    fill(db)
    wanted = {
        "any": [d for d in DOCS if isinstance(d.get("tags"), list)
                and any(e in items for e in d["tags"])],
        "all": [d for d in DOCS if isinstance(d.get("tags"), list)
                and all(e in d["tags"] for e in items)],
    }
    second = "all" if first == "any" else "any"
    for name in (first, second, first, second):
        assert db.search(getattr(where("tags"), name)(items)) == wanted[name]
        assert db.count(getattr(where("tags"), name)(items)) == len(wanted[name])


def test_queries(db):
    fill(db)
    one = where("n") == 1
    assert len(db.search(where("tags").any(one))) == 2
    assert {"tags": []} in db.search(where("tags").all(one))
    assert {"tags": [{"n": 1}, {"n": 1}]} in db.search(where("tags").all(one))
    assert {"tags": [{"n": 1}, {"n": 2}]} not in db.search(where("tags").all(one))
    assert len(db.search(where("tags").any(one))) == 2


@pytest.mark.parametrize("items", [["a"], [1, 2], [], [{"k": 1}], [["x"]]])
def test_not_equal(items):
    q = Query()
    assert q.f.any(items) != q.f.all(items)
    assert q.f.any(items) != q.g.any(items)
    assert q.f.all(items) != q.g.all(items)
    assert q.f.any(items) != q.f.one_of(items)
    assert q.f.all(items) != (q.f == items)
    assert q.f.any(items) != q.f.any(items + ["more"])


@pytest.mark.parametrize("items", [["a"], [1, 2], [], [{"k": 1}], [["x"]]])
def test_same_is_still_the_same(items):
    q = Query()
    assert q.f.any(items) == q.f.any(list(items))
    assert hash(q.f.any(items)) == hash(q.f.any(list(items)))
    assert q.f.all(items) == q.f.all(list(items))
    assert hash(q.f.all(items)) == hash(q.f.all(list(items)))
    assert q.f.any(items).is_cacheable() and q.f.all(items).is_cacheable()


def test_combined(db):
    fill(db)
    any_ = where("tags").any(["a", "b"])
    all_ = where("tags").all(["a", "b"])
    assert db.search(any_ & ~all_) == [{"tags": ["a"]}]
    assert (any_ | all_) != any_
    assert (~any_) != (~all_)
    assert len(db.search(~any_)) == 6
    assert len(db.search(~all_)) == 7


def test_still_cached(db):
    fill(db)
    db.search(where("tags").any(["a"]))
    assert db._query_cache.get(where("tags").any(["a"])) == DOCS[:2] if hasattr(db, "_query_cache") else True


def test_mapped_is_not_cached():
    q = Query().f.map(list)
    assert not q.any(["a"]).is_cacheable()
    assert not q.all(["a"]).is_cacheable()
    assert q.any(["a"])({"f": "ab"})
    assert not q.all(["a", "z"])({"f": "ab"})
