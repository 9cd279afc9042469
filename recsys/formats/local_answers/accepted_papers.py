"""Choose the papers that go into a draft: the best one of each gap, if it is likely enough."""

from collections.abc import Iterator
from dataclasses import dataclass

from recsys.formats.local_answers.gap_keys import GapKeys
from recsys.formats.local_answers.shown_gaps import place_of
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer
from recsys.records import Paper

LEAST = 0.5
"""The chance that a paper must have to be taken unseen: it is rather right than wrong."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A paper that is cited in a gap from now on, and by which key."""

    gap: Gap
    paper: Paper
    key: str


def accepted(
    answer: LocalAnswer, keys: GapKeys, *, least: float = LEAST, unmarked: bool = False
) -> tuple[Accepted, ...]:
    """Take the best paper of each gap whose chance is at least `least`.

    unmarked: whether sentences count that their author has left without a mark.
    """
    return tuple(
        Accepted(gap, best.paper, keys.names[best.paper.id])
        for gap in answer.gaps
        if gap.recommendations and (unmarked or gap.mark is not None)
        if (best := gap.recommendations[0]).probability >= least
    )


def told(answer: LocalAnswer, taken: tuple[Accepted, ...]) -> Iterator[str]:
    """Say which key goes where, a sentence each."""
    for each in taken:
        yield f"{place_of(answer, each.gap)}: {each.key}, {one_line(each.paper.title)}."
