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


DOCS = [{"a": 1}, {"a": 2, "b": [1, 2]}, {}, {"n": None}, {"deep": {"x": {"y": 1}}}]


@pytest.mark.parametrize("many", [1, 3, 5])
@pytest.mark.parametrize("place", range(5))
def test_document(db, many, place):
    docs = (DOCS * 2)[place:place + many]
    ids = db.insert_multiple(docs)
    for doc_id, doc in zip(ids, docs):
        taken = db.table("_default").pop(doc_id)
        assert taken == doc
        assert isinstance(taken, Document)
        assert taken.doc_id == doc_id
    assert len(db) == 0


@pytest.mark.parametrize("default", [None, 5, "x", {}])
def test_missing(db, default):
    table = db.table("t")
    assert table.pop(1, default) is default
    table.insert({"a": 1})
    assert table.pop(2, default) is default
    assert table.pop(99, default=default) is default
    assert len(table) == 1


def test_others_stay(db):
    table = db.table("t")
    table.insert_multiple([{"n": n} for n in range(6)])
    assert table.pop(3) == {"n": 2}
    assert [d.doc_id for d in table] == [1, 2, 4, 5, 6]
    assert [d["n"] for d in table] == [0, 1, 3, 4, 5]
    assert table.pop(3) is None
    assert table.insert({"n": 9}) == 7


def test_cache(db):
    table = db.table("t")
    table.insert({"n": 1})
    assert table.count(where("n") == 1) == 1
    assert table.pop(1) == {"n": 1}
    assert table.count(where("n") == 1) == 0


def test_in_file(tmp_path):
    with TinyDB(tmp_path / "x.json") as file:
        file.insert_multiple(DOCS)
        for doc_id, doc in enumerate(DOCS, 1):
            assert file.pop(doc_id) == doc
        assert file.all() == []


def test_class_of_the_table(db):
    class Mine(Document):
        pass

    class Own(Table):
        document_class = Mine

    table = Own(db.storage, "own")
    table.insert({"q": 1})
    taken = table.pop(1)
    assert type(taken) is Mine and taken == {"q": 1}
