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


@pytest.mark.parametrize("many", [0, 1, 2, 5, 30])
@pytest.mark.parametrize("name", [None, "people"])
def test_ids_start_over(db, many, name):
    table = db if name is None else db.table(name)
    table.insert_multiple([{"n": n} for n in range(many)])
    table.truncate()
    assert len(table) == 0
    assert table.insert({"a": 1}) == 1
    assert table.insert_multiple([{"a": 2}, {"a": 3}]) == [2, 3]
    assert [d.doc_id for d in table] == [1, 2, 3]


@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_again_and_again(db, rounds):
    for _ in range(rounds):
        assert db.insert_multiple([{}, {}, {}]) == [1, 2, 3]
        db.truncate()


def test_own_ids(db):
    db.insert(Document({"a": 1}, doc_id=17))
    assert db.insert({}) == 18
    db.truncate()
    assert db.insert({}) == 1


def test_removal_does_not_reset(db):
    db.insert_multiple([{"a": 1}, {"a": 2}])
    db.remove(doc_ids=[2])
    assert db.insert({}) == 3
    db.remove(where("a") == 1)
    assert db.insert({}) == 4


def test_other_table_untouched(db):
    one, two = db.table("one"), db.table("two")
    one.insert_multiple([{}, {}])
    two.insert_multiple([{}, {}, {}])
    one.truncate()
    assert two.insert({}) == 4
    assert one.insert({}) == 1
    assert len(two) == 4


def test_unread_table(db):
    db.table("x").insert_multiple([{}, {}])
    fresh = Table(db.storage, "x")
    fresh.truncate()
    assert len(fresh) == 0
    assert fresh.insert({}) == 1


def test_cache_is_dropped(db):
    db.insert({"a": 1})
    assert db.count(where("a") == 1) == 1
    db.truncate()
    assert db.count(where("a") == 1) == 0


def test_persist_empty(db):
    db.table("empty", persist_empty=True)
    assert "empty" in db.tables()
    assert db.table("empty").insert({}) == 1


def test_truncate_in_file(tmp_path):
    with TinyDB(tmp_path / "x.json") as file:
        file.insert_multiple([{}, {}])
        file.truncate()
        assert file.insert({"b": 1}) == 1
    with TinyDB(tmp_path / "x.json") as file:
        assert file.all() == [{"b": 1}]
