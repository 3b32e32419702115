"""What a back-end is, before anybody calls it: what it can do, what it needs, how it is named."""

from __future__ import annotations

import msgspec

__all__ = ["About"]


class About(msgspec.Struct, frozen=True, kw_only=True):
    """One back-end as the ladder names it, and what it can do."""

    word: str  # what stands before the colon
    rest: str = ""  # what may stand behind it; in brackets if it need not
    does: str
    reads_only_by: str = ""  # what keeps its diagnosis from writing, beside the sandbox
    usage: bool = False  # tells its tokens
    money: bool = False
    models: bool = False  # takes a model behind its name
    tiers: dict[str, str] = {}  # its names for a cheap, a middle and a strong model
    resumes: bool | None = False  # a conversation that broke off; None: it is tried, and seen
    streams: bool = False  # tells what it does while it does it
    schema: bool = False  # takes a schema for its answer
    program: str = ""  # on PATH
    extra: str = ""  # of Clew's own, that has to be installed
    module: str = ""  # that the extra brings
    variables: tuple[str, ...] = ()  # of the person's, that it is lent
    hosts: tuple[str, ...] = ()  # that it calls; unknown hosts need an open network
    logins: tuple[str, ...] = ()  # variables, each of which is a login
    login_file: str = ""  # below the person's home
    login_folder: str = ""  # variable that names the folder of that file
    login_home: str = ""  # variable that names another home for it
    next_step: str = ""  # where it is not there, or nobody is logged in

    @property
    def name(self) -> str:
        """How it is told of: `claude[:MODEL]`."""
        if not self.rest:
            return self.word
        optional = self.rest.startswith("[")
        return f"{self.word}[:{self.rest[1:]}" if optional else f"{self.word}:{self.rest}"
