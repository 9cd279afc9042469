"""Answer a draft sentence by sentence, or one passage."""

from dataclasses import dataclass, field
from pathlib import Path

from recsys.errors import RecsysError
from recsys.passages import LocalAnswer
from recsys.recommend import Recommender
from recsys.records import Bibliography


@dataclass(frozen=True, slots=True)
class LocalQuestion:
    """What is asked of a draft, or of a passage.

    k: papers for each place. line: of the one sentence that is asked about; None: all that lack a
    citation. offset: the place in a passage, as the characters before it. most: sentences without a
    mark at most. as_of: the year in which it is written. title, abstract: go before the draft's
    own. liked: papers to find more of.
    """

    k: int = 3
    line: int | None = None
    offset: int | None = None
    most: int = 10
    as_of: int | None = None
    title: str | None = None
    abstract: str | None = None
    liked: Bibliography = field(default_factory=Bibliography)


def cite(recommender: Recommender, draft: Path | str, asked: LocalQuestion) -> LocalAnswer:
    """Recommend papers for the places of a draft, or of a passage, that lack a citation.

    Args:
        recommender: an open index.
        draft: the path of a draft, or the text of a passage.
        asked: which places, and what else is known.
    """
    raise RecsysError("Single sentences cannot be answered yet.", "Ask `recsys recommend`.")
