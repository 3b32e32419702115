"""Opens doors in a network of its own, hands them to the proxy outside, then becomes the command.

    python -I -S netns_entry.py CHANNEL PORTS COMMAND…

Standard library alone. CHANNEL is the number of a socket that it inherits. It listens on loopback:
on one port that is a proxy, and on each of PORTS, behind which lies the same port of the machine.
The doors are open sockets, so nothing of ours stays inside.
"""

from __future__ import annotations

import json
import os
import socket
import sys

REFUSED = 125
COMPLAINT = "clew-launcher:"
LOOPBACK = "127.0.0.1"
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy")
BESIDE = ("NO_PROXY", "no_proxy")


def knock(descriptor: int, ports: list[int]) -> int:
    """Hand the doors out; return the port of the proxy."""
    doors = []
    for port in (*ports, 0):
        door = socket.socket(socket.AF_INET)
        door.bind((LOOPBACK, port))
        door.listen(128)
        doors.append(door)
    with socket.socket(fileno=descriptor) as channel:
        words = json.dumps(ports).encode()
        socket.send_fds(channel, [words], [door.fileno() for door in doors])
        if channel.recv(1) != b"!":
            raise OSError("the proxy is gone")
    return int(doors[-1].getsockname()[1])


def main(arguments: list[str]) -> None:
    """Open, tell the command where, and become it."""
    channel, ports, *command = arguments
    try:
        port = knock(int(channel), json.loads(ports))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{COMPLAINT} no way to the network: {error}\n")
        sys.exit(REFUSED)
    place = f"http://{LOOPBACK}:{port}"
    os.environ.update(dict.fromkeys(PROXIES, place))
    os.environ.update(dict.fromkeys(BESIDE, f"localhost,{LOOPBACK},::1"))
    os.environ["NODE_USE_ENV_PROXY"] = "1"
    try:
        os.execvp(command[0], command)  # noqa: S606 - to become the command is its purpose
    except OSError as error:
        sys.stderr.write(f"{COMPLAINT} cannot run `{command[0]}`: {error.strerror}\n")
        sys.exit(127)


if __name__ == "__main__":
    main(sys.argv[1:])
