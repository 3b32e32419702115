"""Files into a room: what is near the failure stays whole, what is further off gives way.

The order in which files give way is fixed: skeletons of distance 2 are dropped, the largest first;
files of distance 1 become skeletons, the largest first; then these are halved, again and again, the
largest first. Files of which the failing tests ran lines come after those that are imported alone,
and are not halved before those are gone; before they become skeletons the functions that were run
are shown. What was cut and has room after all is taken back. A file of distance 0 is never cut:
one that does not fit whole beside those before it is not admitted, and only the parts that the
failure names are shown, which may be cut when nothing else at distance 1 is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from clew.analysis.context.counting import TokenCounter
from clew.analysis.context.records import ContextFile, Cut, Form, OversizedFile, Shown
from clew.analysis.context.sections import halved

__all__ = ["Fitted", "fit"]

ADMITTED = 0.75  # of the room is for files of distance 0, so that what they use is seen as well
LONG = 2_000  # lines: a file of distance 1 above this is shown as a skeleton from the start

DROPPED = "the budget has no room for skeletons of distance 2"
LOWERED = "the budget has no room for the bodies"
HALVED = "the budget has no room for the whole of it"
UNRUN = "the budget has no room for what the failing tests did not run"


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """The files as they fit, nearest first, and the account of what does not.

    `wanted` is what is used, and what was saved by cuts, and what refused files lack.
    """

    files: tuple[Shown, ...] = ()
    cuts: tuple[Cut, ...] = ()
    refused: tuple[OversizedFile, ...] = ()
    wanted: int = 0

    @property
    def used(self) -> int:
        return sum(file.tokens for file in self.files)


class _Place:
    """A file on its way: the form that it has now."""

    def __init__(self, source: ContextFile, form: Form, text: str, tokens: int) -> None:
        self.source = source
        self.form = form
        self.text = text
        self.tokens = tokens
        self.wanted = tokens
        self.reason = ""
        self.first = (form, text, tokens, "")

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def saved(self) -> int:
        return self.wanted - self.tokens

    @property
    def weight(self) -> int:
        """How much it matters: what is imported, what failing tests ran, what a failure names."""
        return 2 if not self.source.distance else int(self.source.ran)

    def become(self, form: Form, text: str, tokens: int, reason: str) -> int:
        """Take another form; return the tokens that it saves."""
        saved = self.tokens - tokens
        self.form, self.text, self.tokens, self.reason = form, text, tokens, reason
        return saved


def fit(sources: Sequence[ContextFile], room: int, counter: TokenCounter, frame: int = 0) -> Fitted:
    """Fit files into a room, which the result never exceeds.

    Sources of distance 0 come in the order of their importance. `frame` is what showing a file
    takes beside its text.
    """

    def cost(text: str) -> int:
        return counter.count(text) + frame if text else 0

    sources = [source for source in sources if source.text.strip()]
    admitted, refused = _admitted((s for s in sources if not s.distance), room, cost)
    left = room - sum(place.tokens for place in admitted)
    near = [place for place in refused if place.text]
    near += [_first_form(s, cost) for s in sources if s.distance == 1]
    far = [
        _Place(s, Form.SKELETON, s.skeleton, cost(s.skeleton))
        for s in sources
        if s.distance == 2 and s.skeleton  # noqa: PLR2004 - the outermost ring that is shown
    ]
    _give_way(near, far, left, cost)
    kept = [place for place in (*admitted, *near, *far) if place.form is not Form.DROPPED]
    return Fitted(
        files=tuple(
            Shown(
                path=p.path,
                distance=p.source.distance,
                form=p.form,
                text=p.text,
                tokens=p.tokens,
            )
            for p in kept
        ),
        cuts=tuple(
            Cut(
                file=p.path,
                original_tier=p.source.distance,
                downgraded_to=p.form,
                tokens_saved=p.saved,
                reason=p.reason,
            )
            for p in (*near, *far)
            if p.reason and p.source.distance
        ),
        refused=tuple(
            OversizedFile(file=p.path, tokens=cost(p.source.text), shown=p.tokens) for p in refused
        ),
        wanted=sum(p.wanted for p in (*admitted, *near, *far) if p not in refused)
        + sum(cost(p.source.text) for p in refused),
    )


def _admitted(
    focus: Iterable[ContextFile], room: int, cost: Callable[[str], int]
) -> tuple[list[_Place], list[_Place]]:
    """Sort the files of distance 0 into those that are shown whole and those that are not."""
    left = int(room * ADMITTED)
    admitted, refused = [], []
    for source in focus:
        tokens = cost(source.text)
        if tokens <= left:
            left -= tokens
            admitted.append(_Place(source, Form.FULL, source.text, tokens))
        else:
            form = Form.TRUNCATED if source.focus else Form.DROPPED
            refused.append(_Place(source, form, source.focus, cost(source.focus)))
    return admitted, refused


def _first_form(source: ContextFile, cost: Callable[[str], int]) -> _Place:
    if source.text.count("\n") > LONG and source.focus:
        return _Place(source, Form.TRUNCATED, source.focus, cost(source.focus))
    if source.skeleton and source.text.count("\n") > LONG:
        return _Place(source, Form.SKELETON, source.skeleton, cost(source.skeleton))
    return _Place(source, Form.FULL, source.text, cost(source.text))


def _give_way(near: list[_Place], far: list[_Place], room: int, cost: Callable[[str], int]) -> None:
    over = sum(place.tokens for place in (*near, *far)) - room
    for place in _largest_first(far):
        if over <= 0:
            return
        over -= place.become(Form.DROPPED, "", 0, DROPPED)
    for place in _least_first(near):
        if over <= 0:
            return
        skeleton, ran = place.source.skeleton, place.source.focus
        if place.form is Form.FULL and ran and cost(ran) < place.tokens:
            over -= place.become(Form.TRUNCATED, ran, cost(ran), UNRUN)
        elif place.form is Form.FULL and skeleton and cost(skeleton) < place.tokens:
            over -= place.become(Form.SKELETON, skeleton, cost(skeleton), LOWERED)
    while over > 0:
        place = next(place for place in _least_first(near) if place.tokens)
        text = halved(place.text, place.path)
        tokens = cost(text)
        if text and tokens < place.tokens:
            over -= place.become(Form.TRUNCATED, text, tokens, HALVED)
        else:
            over -= place.become(Form.DROPPED, "", 0, HALVED)
    _take_back(near, far, -over)


def _take_back(near: list[_Place], far: list[_Place], spare: int) -> None:
    """Undo what later cuts made needless: nearer files first, and of these the cheapest."""
    for places in (near, far):
        for place in sorted(places, key=lambda place: (-place.weight, place.saved, place.path)):
            if 0 < place.saved <= spare:
                spare -= place.saved
                place.become(*place.first)


def _least_first(places: Iterable[_Place]) -> list[_Place]:
    """Sort places: those that matter least come first, and of these the largest."""
    return sorted(places, key=lambda place: (place.weight, -place.tokens, place.path))


def _largest_first(places: Iterable[_Place]) -> list[_Place]:
    return sorted(places, key=lambda place: (-place.tokens, place.path))
