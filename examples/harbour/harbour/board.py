"""The board at the harbour office: one line a booking."""

from __future__ import annotations

from harbour.dues import dues
from harbour.planner import Booking, Planner


def clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def line(booking: Booking) -> str:
    stay = booking.stay
    return (
        f"{clock(stay.start)}–{clock(stay.end)}  {booking.berth.name:<6}"
        f"{booking.vessel.name:<12}{dues(booking) / 100:>8.2f}"
    )


def board(planner: Planner) -> str:
    bookings = sorted(planner.bookings, key=lambda each: (each.stay.start, each.berth.name))
    return "\n".join(line(booking) for booking in bookings)
