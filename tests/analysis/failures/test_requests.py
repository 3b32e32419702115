"""Requests of a pasted log are found again in the code, by their routes."""

from __future__ import annotations

import pytest

from clew.analysis.failures.requests import LoggedRequest, read_requests, routed

LOG = """\
10.0.0.1 - - [14/Mar/2026] "GET /health HTTP/1.1" 200 2
10.0.0.1 - - [14/Mar/2026] "POST /cart/3/pay?token=x HTTP/1.1" 500 77
10.0.0.2 - - [14/Mar/2026] "POST /cart/3/pay?token=y HTTP/1.1" 500 77
"""
WEB = """\
@app.get("/health")
def health():
    return "ok"


@app.get("/cart/<int:number>/pay")
def price(number):
    return 0


@app.post("/cart/<int:number>/pay")
@login_required
def pay(number):
    return charge(number)
"""


def test_those_that_failed_are_first_and_counted() -> None:
    """Without what stands behind the question mark."""
    assert (
        LoggedRequest(method="POST", path="/cart/3/pay", status=500, times=2),
        LoggedRequest(method="GET", path="/health", status=200),
    ) == read_requests(LOG)
    assert () == read_requests("we GET lost on the WAY / home")
    assert (LoggedRequest(method="GET", path="/a/b"),) == read_requests("GET http://x.org/a/b")


def test_a_route_is_found_by_its_parts_and_its_method() -> None:
    """With the function below it."""
    found = routed(read_requests(LOG)[0], {"shop/web.py": WEB, "shop/other.py": "x = '/cart/3'\n"})
    assert found
    assert ("shop/web.py:11 in pay", "/cart/<int:number>/pay") == (found.place, found.route)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('router.post("/:id/pay", (req) => {})\n', "web:1"),
        ('path("cart/{id}/pay", views.pay),\n', "web:1"),
        ('@app.post("/other/{id}/pay")\n', ""),
        ('url = "https://x.org/cart/3/pay"\n', ""),
        ('@app.post("/{any}")\n', ""),
    ],
)
def test_a_route_fits_or_does_not(text: str, place: str) -> None:
    """A mount may stand before it; one without a part that is written out says nothing."""
    found = routed(LoggedRequest(method="POST", path="/cart/3/pay"), {"web": text})
    assert place == (found.place if found else "")
