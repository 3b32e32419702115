from sheet import Sheet


def test_sums():
    sheet = Sheet()
    sheet.set("A1", 100)
    sheet.set("A2", 1)
    sheet.set("B1", "=A1+A2")
    assert sheet.value("B1") == 101


def test_as_often_as_one_likes():
    sheet = Sheet()
    sheet.set("A1", 1)
    sheet.note("A1", "one")
    sheet.save("x")
    for number in (2, 3):
        sheet.set("A1", number)
        sheet.note("A1", "more")
        sheet.restore("x")
        assert (sheet.value("A1"), sheet.notes, sheet.changed_since("x")) == (1, {"A1": ["one"]}, [])
