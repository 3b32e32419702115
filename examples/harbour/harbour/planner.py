"""Who lies where, and when."""

from __future__ import annotations

from dataclasses import dataclass

from harbour.berths import Berth, Stay
from harbour.tides import TideTable, next_highwater
from harbour.vessels import Vessel


class NoBerthError(Exception):
    """No berth takes the vessel for that stay."""


@dataclass(frozen=True)
class Booking:
    vessel: Vessel
    berth: Berth
    stay: Stay


class Planner:
    """The day's bookings of one harbour."""

    def __init__(self, berths: list[Berth], table: TideTable) -> None:
        self.berths = sorted(berths, key=lambda berth: berth.length)
        self.table = table
        self.bookings: list[Booking] = []

    def free(self, stay: Stay) -> list[Berth]:
        """Berths that nobody needs during the stay, shortest first."""
        taken = {booking.berth.name for booking in self.bookings if stay.overlaps(booking.stay)}
        return [berth for berth in self.berths if berth.name not in taken]

    def book(self, vessel: Vessel, start: int, minutes: int) -> Booking:
        """Take the shortest free berth that admits the vessel and keeps it afloat on arrival."""
        stay = Stay(start, start + minutes)
        tide = self.table.height_at(start)
        for berth in self.free(stay):
            if berth.admits(vessel) and berth.afloat(vessel, tide):
                booking = Booking(vessel, berth, stay)
                self.bookings.append(booking)
                return booking
        raise NoBerthError(f"no berth for {vessel.name} from minute {start}")

    def book_on_the_tide(self, vessel: Vessel, earliest: int, minutes: int) -> Booking:
        """Book from the next high water on."""
        water = next_high_water(self.table, earliest)
        if water is None:
            raise NoBerthError(f"no high water left for {vessel.name}")
        return self.book(vessel, water.minute, minutes)
