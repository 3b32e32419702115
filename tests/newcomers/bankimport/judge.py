import random
from datetime import date

from bankimport.importer import Importer
from bankimport.ledger import Ledger
from bankimport.summary import by_month, top_payees


def test_it_is_right():
    good = [f"{d:02d}.01.2025;P{d};-{d},00" for d in range(1, 20)]
    bad = [
        "x",
        "Date;Payee;Amount",
        "1;2",
        "02.01.2025;a;1,5",
        "32.01.2025;a;1,00",
        "02.01.2025;a;b",
        ";;",
        "a;b;c;d",
    ]
    rnd = random.Random(2)

    def check(lines, ledger=None):
        ledger = ledger or Ledger()
        before = set(ledger.rows())
        o = Importer(ledger).read("\n".join(lines) + "\n")
        seen, added, known, probs = set(r.payee for r in before), 0, 0, []
        for n, l in enumerate(lines, 1):
            if not l.strip():
                continue
            if l in bad:
                probs.append(n)
                continue
            p = l.split(";")[1]
            if p in seen:
                known += 1
            else:
                seen.add(p)
                added += 1
        assert (o.added, o.known) == (added, known), (lines, o, added, known)
        assert [int(x.split(":")[0].split()[1]) for x in o.problems] == probs, (
            lines,
            o.problems,
            probs,
        )
        assert len(ledger) == len(seen)
        s = f"{added} added, {known} known" + (f", {len(probs)} not read" if probs else "")
        assert str(o) == s, (str(o), s)
        return ledger

    for b in bad:
        check([b] + good[:2])
        check(good[:1] + [b] + good[1:3])
        check(good[:2] + [b])
        check([b])
        check([b, b, good[0], b])
    check([])
    check([""])
    check(["", " ", good[0]])
    for _ in range(60):
        lines = [
            rnd.choice(rnd.choice([good, good, bad, [""]])) for _ in range(rnd.randrange(0, 15))
        ]
        led = check(lines)
        check(lines + [good[5]], led)
    led = Ledger()
    o = Importer(led).read("Date;Payee;Amount\n02.01.2025;Baker;-4,20\n02.01.2025;S;10,00\n")
    assert (
        by_month(led) == {"2025-01": (1000, 420)}
        and top_payees(led) == [("Baker", 420)]
        and led.balance(date(2025, 1, 1)) == 0
    )
    o = Importer(Ledger()).read("a;b\n")
    assert o.problems == ["line 1: 2 fields instead of 3"], o.problems
