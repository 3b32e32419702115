"""What a stay costs, in cents."""

from __future__ import annotations

from harbour.planner import Booking

CENTS_PER_METRE_AND_HOUR = 12
HAZARD_SURCHARGE = 1.5


def started_hours(minutes: int) -> int:
    return -(-minutes // 60)


def dues(booking: Booking) -> int:
    """Length by started hours, and half as much again for hazardous cargo."""
    hours = started_hours(booking.stay.minutes)
    cents = booking.vessel.length * hours * CENTS_PER_METRE_AND_HOUR
    if booking.vessel.hazardous:
        cents *= HAZARD_SURCHARGE
    return round(cents)
