"""Which hosts an agent may call: names with ports, never private addresses unless they are named.

api.example.com · *.example.com · api.example.com:8443 · 127.0.0.1:11434
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import msgspec

from clew.words.errors import UsageError

__all__ = [
    "DOORS",
    "Host",
    "is_loopback",
    "may_lie_at",
    "of_variables",
    "own_ports",
    "parse",
    "stays_closed",
]

PORTS = (80, 443)
DOORS = 16  # that can be opened at once inside: one to the proxy, and one a port of this machine
OPEN = 1024  # the first port that an ordinary user may listen on
BASE = "_BASE_URL"
LOCAL = "localhost"


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A host that may be called, or all below a name that begins with a dot."""

    name: str  # in small letters
    ports: tuple[int, ...] = PORTS
    private: bool = False  # wherever it lies, as the person named that very place

    def covers(self, name: str, port: int) -> bool:
        """Say whether it is meant by a name and port."""
        name = name.lower().rstrip(".")
        known = name.endswith(self.name) if self.name.startswith(".") else name == self.name
        return known and port in self.ports


def parse(text: str) -> Host:
    """Read one host of a list. Raises UsageError for what is none."""
    parts = urlsplit(f"//{text.strip()}")
    try:
        port = parts.port
    except ValueError:
        port = 0
    name = (parts.hostname or "").removeprefix("*")
    if not name or port == 0 or "*" in name or set(text) & set("/@?# "):
        raise UsageError(
            f"{text!r} is not a host that an agent could call",
            hint="Write a name, `*.` and a name, or either with `:` and a port.",
        )
    own = name == LOCAL or _address(name) is not None
    host = Host(name=name, ports=PORTS if port is None else (port,), private=own)
    if stays_closed(host):
        raise UsageError(
            f"agent_hosts names {text!r}: of this machine an agent can call single ports from"
            f" {OPEN} on",
            hint="Write the port that the server listens on, such as localhost:11434.",
        )
    return host


def of_variables(environment: Mapping[str, str]) -> tuple[Host, ...]:
    """Return the hosts of a person's base URLs: with exactly their port, wherever they lie."""
    found = []
    for name, value in environment.items():
        parts = urlsplit(value) if name.endswith(BASE) else urlsplit("")
        if parts.hostname and parts.scheme in ("http", "https"):
            try:
                port = parts.port or (443 if parts.scheme == "https" else 80)
            except ValueError:
                continue
            found.append(Host(name=parts.hostname.lower(), ports=(port,), private=True))
    return tuple(dict.fromkeys(found))


def is_loopback(host: Host) -> bool:
    """Say whether a host is this machine by name or number."""
    address = _address(host.name)
    return host.name == LOCAL or (address is not None and address.is_loopback)


def own_ports(hosts: Iterable[Host]) -> tuple[int, ...]:
    """Return the ports of this machine among what may be called; each takes a door of its own."""
    return tuple(dict.fromkeys(port for host in hosts if is_loopback(host) for port in host.ports))


def stays_closed(host: Host) -> bool:
    """Say whether it is a port of this machine that no door can stand for: its number is kept."""
    return is_loopback(host) and min(host.ports) < OPEN


def may_lie_at(hosts: Iterable[Host], address: str) -> bool:
    """Say whether a name that these hosts cover may stand for an address."""
    found = _address(address)
    if found is None:
        return False
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    is_public = found.is_global and not found.is_multicast
    return is_public or any(host.private for host in hosts)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
