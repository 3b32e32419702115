"""Other inputs for a test: what runs in its module, to vary what it gives and note what it sees.

The first variations change numbers, and the digits in texts. Numbers up to 10 often say which case
is meant: only the last three change them, and these lead from big numbers to small ones as well.

The others change texts and bytes that have letters, the same text to the same other: other letters
of the same case, in another order, twice as many, one plain word, digits alone. None is shorter,
so that what takes a part of a constant takes all of it.
"""

from __future__ import annotations

__all__ = ["CALLS", "HELPER", "NUMBERS", "TEXTS"]

NUMBERS = 8
TEXTS = 8

HELPER = """
def _clew_vary(value, number):
    kind = type(value)
    if number > 8 or (not number and kind in (str, bytes)):
        return _clew_reword(value, number)
    if number and kind in (int, float) and (number > 5 or abs(value) > 10):
        more = {{1: 1, 2: -3, 3: value + 7, 4: 2 * value, 5: 100, 6: 1}}
        other = value + more[number] if number < 7 else value // 2 if number == 7 else value % 7 + 3
        if other != value:
            _clew_seen.append(value)
        return other
    if number and kind is str and any(sign.isdigit() for sign in value) and len(value) < 200:
        _clew_seen.append(value)
        if number > 3:
            import re
            return re.sub('[0-9]+', lambda run: _clew_near(run.group(), number), value)
        return ''.join(
            str((int(sign) + number) % 10) if sign in '0123456789' else sign for sign in value
        )
    if kind in (list, tuple):
        return kind(_clew_vary(each, number) for each in value)
    return value


def _clew_near(digits, number):
    if number == 4:
        return digits[:-1] + str((int(digits[-1]) + 1) % 10)
    return str(int(digits[0]) % 9 + 1) + digits[1:] if len(digits) > 1 else digits


def _clew_reword(value, number):
    kind = type(value)
    if kind in (list, tuple):
        return kind(_clew_reword(each, number) for each in value)
    if kind is bytes:
        return _clew_reword(value.decode('latin-1'), number).encode('latin-1')
    letters = 'abcdefghijklmnopqrstuvwxyz'
    if kind is not str or not 1 < len(value) < 200 or not set(letters) & set(value.lower()):
        return value
    _clew_seen.append(value)
    if not number:
        return value
    step = (1, 3, 7, 11, 5, 9, 15, 17)[number - 9]
    turned = letters[step:] + letters[:step]
    other = value.translate(str.maketrans(letters + letters.upper(), turned + turned.upper()))
    if number == 13:
        return other[::-1]
    if number == 14:
        return other + other
    if number == 15:
        return ''.join(sign if sign.isalpha() else 'q' for sign in other).lower()
    return ''.join(str(ord(sign) % 9 + 1) for sign in other) if number == 16 else other


def _clew_note(name, number, value, called):
    if type(value).__repr__ is object.__repr__:
        value = type(value).__name__
    _clew_write(test=name, number=number, value=repr(value)[:500], called=called)


def _clew_write(**words):
    import json, os
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), {mark!r})
    with open(place, 'a') as file:
        file.write(json.dumps(words) + chr(10))


_clew_seen = []
"""
CALLS = """
_clew_texts = False
for _clew_number in range({count}):
    del _clew_seen[:]
    _clew_raised = False
    try:
        if _clew_number < 9 or _clew_texts:
            _clew_body(_clew_number, {given})
    except Exception:
        _clew_raised = True
    _clew_texts = bool(_clew_seen) if not _clew_number else _clew_texts
    _clew_write(
        test={name!r}, number=_clew_number, raised=_clew_raised, varied=bool(_clew_seen),
        given=[] if _clew_number else [str(each)[:200] for each in _clew_seen],
    )
"""
