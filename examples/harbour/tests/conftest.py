import pytest

from harbour.berths import Berth
from harbour.tides import Tide, TideTable
from harbour.vessels import Vessel


@pytest.fixture
def table():
    return TideTable([Tide(60, 0.4), Tide(420, 3.6), Tide(790, 0.6), Tide(1160, 3.4)])


@pytest.fixture
def berths():
    return [
        Berth("north", 150.0, 7.0),
        Berth("fuel", 120.0, 6.0, takes_hazardous=True),
        Berth("inner", 60.0, 3.0),
    ]


@pytest.fixture
def aurora():
    return Vessel("Aurora", 140.0, 7.2)


@pytest.fixture
def tern():
    return Vessel("Tern", 55.0, 3.1)
