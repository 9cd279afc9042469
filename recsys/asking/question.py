"""Pose a question: what the user gave, in the terms of an open index."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recsys.asking.draft_summary import matched, understood
from recsys.asking.matching import match
from recsys.asking.named import Read, check_named
from recsys.records import Answer, Draft, PaperId, Reason, Reference
from recsys.store.collection import Collection

IN_LIBRARY = Reason("library", "in your library")


@dataclass(frozen=True, slots=True)
class Found:
    """The papers of one list: ids of those that the corpus holds, and the others."""

    name: str
    ids: tuple[PaperId, ...]
    missing: tuple[Reference, ...]

    def __str__(self) -> str:
        """Count them, and say where the others can be seen."""
        counted = matched(self.name, len(self.ids), len(self.missing))
        return f"{counted} (listed with -v)" if self.missing else counted


@dataclass(frozen=True, slots=True)
class Question:
    """A draft, what was understood of it, and the papers that were not found.

    library: those of the user's own papers that the corpus holds.
    """

    draft: Draft
    understood: str
    missing: tuple[str, ...]
    library: tuple[PaperId, ...]

    def finish(self, answer: Answer) -> Answer:
        """Add what the draft's answer cannot know: its lists, and what is in the library."""
        owned = frozenset(self.library)
        items = (
            replace(item, reasons=(*item.reasons, IN_LIBRARY)) if item.paper.id in owned else item
            for item in answer.recommendations
        )
        return replace(answer, recommendations=tuple(items), understood=self.understood)


def pose(collection: Collection, given: Read, *, as_of: int | None = None) -> Question:
    """Find the papers that draft and lists name, and make one draft of it all.

    Raises:
        InputError: what the user named is neither a file nor a paper of the corpus.
    """
    named = {
        "reference": given.manuscript.references,
        "liked paper": given.seeds,
        "disliked paper": given.disliked,
        "library paper": given.library,
    }
    cited, seeds, disliked, library = (
        _find(collection, name, references) for name, references in named.items()
    )
    check_named([*seeds.missing, *disliked.missing, *library.missing])
    manuscript = given.manuscript
    draft = Draft(
        title=manuscript.title,
        abstract=manuscript.abstract,
        authors=manuscript.authors,
        venue=manuscript.venue,
        references=tuple(dict.fromkeys([*cited.ids, *seeds.ids])),
        disliked=disliked.ids,
        as_of=manuscript.as_of if as_of is None else as_of,
        paper_id=manuscript.paper_id,
    )
    lists = [each for each in (cited, seeds, disliked, library) if each.ids or each.missing]
    return Question(
        draft,
        understood(collection.corpus, draft, [str(each) for each in lists]),
        tuple(_described(each.name, entry) for each in lists for entry in each.missing),
        library.ids,
    )


def _find(collection: Collection, name: str, references: Sequence[Reference]) -> Found:
    if not references:
        return Found(name, (), ())
    matches = match(collection, references)
    ids = collection.corpus.ids
    found = dict.fromkeys(ids[each.row] for each in matches if each.row is not None)
    missing = tuple(each.reference for each in matches if each.row is None)
    return Found(name, tuple(found), missing)


def _described(name: str, entry: Reference) -> str:
    facts = [*entry.authors[:1], entry.year, entry.title or entry.doi or entry.arxiv]
    text = ", ".join(str(fact) for fact in facts if fact)
    return f"Not in the corpus: {name} " + ": ".join(part for part in (entry.key, text) if part)
