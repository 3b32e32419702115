from feedreader.feed import Entry
from feedreader.rules import Rules, read_rules
from feedreader.store import Store


def test_it_is_right():
    e = lambda t: Entry("g", t)
    titles = [
        "Sponsored: x",
        "SPONSORED",
        "sponsored",
        "A (sponsored) b",
        "Sponsoring",
        "",
        "Football",
        "fooTBALL now",
        "New Crane",
        "CRANE SPONSORED",
        "the crane",
        "Cranes of FOOTBALL",
        "accident",
        "Accident",
        "Ferries",
        "ICE cream",
        "ice",
    ]
    for text, muted, wanted in (
        ("mute sponsored\nmute FootBall", ["sponsored", "football"], []),
        ("only Crane\nmute ACCIDENT", ["accident"], ["crane"]),
        ("only ice\nonly FERRIES", [], ["ice", "ferries"]),
        ("", [], []),
        ('mute "New Crane"', ["new crane"], []),
    ):
        r = read_rules(text)
        for t in titles:
            low = t.lower()
            want = not any(m in low for m in muted) and (
                not wanted or any(w in low for w in wanted)
            )
            assert r.shows(e(t)) is want or (r.shows(e(t)) == want), (text, t)
    r = Rules()
    r.mute("Foo")
    assert not r.shows(e("A FOO"))
    r.unmute(" fOO ")
    assert r.shows(e("A FOO"))
    for bad in ("mute", 'only ""', "x y"):
        try:
            read_rules(bad)
        except ValueError:
            pass
        else:
            raise AssertionError("bad rule accepted")
    rss = lambda *ts: (
        "<rss><channel><title>News</title>"
        + "".join(f"<item><guid>{i}</guid><title>{t}</title></item>" for i, t in enumerate(ts))
        + "</channel></rss>"
    )
    s = Store(read_rules("mute football"))
    assert s.update("u", rss("Crane", "FOOTBALL", "Ferry")) == 2
    assert [(f, x.title) for f, x in s.unread()] == [
        ("News", "Crane"),
        ("News", "Ferry"),
    ]  # titles are shown as written
    s.mark_read("u", "0")
    assert [x.title for _, x in s.unread()] == ["Ferry"]
    s.rules.unmute("football")
    assert [x.title for _, x in s.unread()] == ["FOOTBALL", "Ferry"]
