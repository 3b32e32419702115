import pickle

import pytest
from cachetools import cached, cachedmethod, keys
from cachetools.func import lru_cache, ttl_cache

CALLS = [
    ((), {}), ((1,), {}), ((1, 2), {}), ((), {"a": 1}), ((1,), {"a": 1}), ((1, 2), {"a": 1, "b": 2}),
    ((), {"a": 1, "b": 2}), ((None,), {"z": "x"}), (("x",), {"y": (1, 2)}),
]
TYPED = [
    ((), {"a": 1}, {"a": 1.0}), ((1,), {"a": 1}, {"a": True}), ((), {"a": 1, "b": 2}, {"a": 1, "b": 2.0}),
    ((), {"a": 0}, {"a": False}), ((5,), {"a": 1, "b": 1}, {"a": 1.0, "b": 1}),
    ((), {"a": 1, "b": 1.0}, {"a": 1.0, "b": 1}),
]


@pytest.mark.parametrize(("args", "one", "two"), TYPED)
def test_keyword_types(args, one, two):
    assert keys.typedkey(*args, **one) != keys.typedkey(*args, **two)
    assert keys.typedmethodkey("self", *args, **one) != keys.typedmethodkey("self", *args, **two)
    assert keys.hashkey(*args, **one) == keys.hashkey(*args, **two)
    assert keys.methodkey("self", *args, **one) == keys.methodkey("self", *args, **two)


@pytest.mark.parametrize("make", [keys.typedkey, keys.hashkey])
@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_same(make, args, kwargs):
    again = dict(reversed(list(kwargs.items())))
    assert make(*args, **kwargs) == make(*args, **again)
    assert hash(make(*args, **kwargs)) == hash(make(*args, **again))
    assert pickle.loads(pickle.dumps(make(*args, **kwargs))) == make(*args, **kwargs)


@pytest.mark.parametrize("make", [keys.typedkey, keys.hashkey])
def test_all_differ(make):
    made = [make(*args, **kwargs) for args, kwargs in CALLS]
    assert len(set(made)) == len(CALLS)


@pytest.mark.parametrize("make", [keys.typedmethodkey, keys.methodkey])
@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_self_does_not_count(make, args, kwargs):
    assert make("x", *args, **kwargs) == make(object(), *args, **kwargs)


@pytest.mark.parametrize(("one", "two"), [(1, 1.0), (0, False), (1, True)])
def test_positional_types(one, two):
    assert keys.typedkey(one) != keys.typedkey(two)
    assert keys.typedkey(one, a=1) != keys.typedkey(two, a=1)
    assert keys.typedmethodkey(None, one) != keys.typedmethodkey(None, two)
    assert keys.hashkey(one) == keys.hashkey(two)


def test_self_as_keyword():
    assert keys.typedmethodkey(1, **{"self": 2}) != keys.typedmethodkey(1, **{"self": 2.0})


@pytest.mark.parametrize("decorator", [lru_cache, ttl_cache])
def test_decorated(decorator):
    @decorator(maxsize=8, typed=True)
    def show(*, n):
        return repr(n)

    assert [show(n=1), show(n=1.0), show(n=True), show(n=1)] == ["1", "1.0", "True", "1"]
    assert show.cache_info().misses == 3


def test_method():
    class Thing:
        def __init__(self):
            self.cache = {}

        @cachedmethod(lambda self: self.cache, key=keys.typedmethodkey)
        def show(self, n=0):
            return repr(n)

    thing = Thing()
    assert [thing.show(n=1), thing.show(n=1.0), thing.show(1), thing.show(1.0)] == ["1", "1.0", "1", "1.0"]
    assert len(thing.cache) == 4
