from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.words.slugs import slug


def test_a_slug_is_lower_case_ascii_words() -> None:
    """Accents go, and whatever is no letter or digit joins the words."""
    assert "api-login-flaky" == slug(" API / login 🚨 flaky ")
    assert "uber_grosse" == slug("Über große", "_")
    assert not slug("🚨")


@given(st.text(), st.integers(1, 40))
def test_a_slug_is_cut_at_a_words_end(text: str, most: int) -> None:
    """Whole words, as far as they fit; a first word that is too long is cut."""
    whole, short = slug(text), slug(text, most=most)

    assert len(short) <= most
    assert whole.startswith(short)
    assert short == slug(short)
    assert short == whole or whole[len(short)] == "-" or "-" not in short
