from datetime import date, datetime

from schedule import Schedule, next_run, parse_rule

WED = datetime(2024, 5, 15, 12, 0)


def test_days_and_holidays():
    free = frozenset({date(2024, 5, 20)})
    assert next_run(parse_rule("09:00 mon"), WED, free) == datetime(2024, 5, 27, 9, 0)
    assert next_run(parse_rule("12:00 wed"), WED) == datetime(2024, 5, 22, 12, 0)
    for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun")):
        assert next_run(parse_rule(f"23:00 {name}"), WED).weekday() == number


def test_a_schedule_knows_its_holidays():
    schedule = Schedule(holidays=[date(2024, 5, 15)])
    schedule.add("backup", "13:00")
    assert schedule.due(WED, datetime(2024, 5, 15, 15, 0)) == []
