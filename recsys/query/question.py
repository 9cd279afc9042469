"""Pose a question: what the user gave, in the terms of an open index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from recsys.errors import RecsysError
from recsys.keyphrases import with_keyphrases
from recsys.query.draft_itself import find_itself, left_out
from recsys.query.draft_summary import matched, some, understood
from recsys.query.filters import Filters
from recsys.query.matching import Match
from recsys.query.matching import match as find_matches
from recsys.query.named import check_named, is_file, read_draft
from recsys.query.surnames import named_in_prose
from recsys.records import (
    Answer,
    Bibliography,
    Draft,
    Manuscript,
    PaperId,
    ReadingLists,
    Reason,
    Recommendation,
    Reference,
)
from recsys.store.collection import Collection

Asked: TypeAlias = str | Path | Manuscript | Reference | Draft
"""What can be asked: the file of a draft, its text, a draft that was read, one paper to find more
of, or a draft in the terms of the corpus."""
NO_LISTS = ReadingLists()
IN_LIBRARY = Reason("library", "in your library")


@dataclass(frozen=True, slots=True)
class Question:
    """A draft in the terms of the corpus, and what became of what was given.

    understood: one sentence. notes: what was left out of files, or is a guess. missing: sentences
    that name the papers that were not found. library: those of the user's own papers that the
    corpus holds. name: the draft's file, if it is one. cited, liked: what is in the draft's
    references, apart; unfound: what it cites that the corpus does not hold. details: sentences on
    each single thing that `notes` count.
    """

    draft: Draft
    understood: str
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    library: tuple[PaperId, ...] = ()
    name: str | None = None
    cited: tuple[PaperId, ...] = ()
    liked: tuple[PaperId, ...] = ()
    unfound: tuple[Reference, ...] = ()
    details: tuple[str, ...] = ()

    def filtered(self, filters: Filters) -> Filters:
        """Name the papers of the library to filters that leave them out."""
        if not filters.exclude_library:
            return filters
        return replace(filters, library=(*filters.library, *self.library))

    def marked(self, items: Iterable[Recommendation]) -> tuple[Recommendation, ...]:
        """Add to the reasons of papers that they, or other versions, are in the library."""
        owned = frozenset(self.library)

        def is_owned(item: Recommendation) -> bool:
            return any(paper.id in owned for paper in (item.paper, *item.versions))

        return tuple(
            replace(item, reasons=(*item.reasons, IN_LIBRARY)) if is_owned(item) else item
            for item in items
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of several drafts: an answer, or the error in its place.

    question: None where the draft could not be read.
    """

    question: Question | None = None
    answer: Answer | None = None
    error: RecsysError | None = None


def pose(
    collection: Collection,
    asked: Asked,
    *,
    lists: ReadingLists = NO_LISTS,
    as_of: int | None = None,
) -> Question:
    """Read the draft, find the papers that it and the lists name, and make one draft of it all.

    Raises:
        InputError: the draft cannot be read, or what a list names is neither a file nor a paper.
    """
    manuscript, ids, lists = _read(asked, lists)
    cited = _find(collection, "reference", Bibliography(manuscript.references), ids.references)
    liked = _find(collection, "liked paper", lists.liked)
    disliked = _find(collection, "disliked paper", lists.disliked, ids.disliked)
    library = _find(collection, "library paper", lists.library)
    itself = () if manuscript.paper_id else find_itself(collection, manuscript)
    check_named([*liked.missing, *disliked.missing, *library.missing])
    draft = Draft(
        title=manuscript.title,
        abstract=_led(collection, manuscript),
        authors=manuscript.authors,
        venue=manuscript.venue,
        references=tuple(dict.fromkeys([*cited.ids, *liked.ids])),
        disliked=disliked.ids,
        as_of=manuscript.as_of if as_of is None else as_of,
        paper_id=manuscript.paper_id,
        itself=tuple(dict.fromkeys((*itself, *ids.itself))),
        keyphrases=manuscript.keyphrases if collection.keyphrases else (),
    )
    found = [each for each in (cited, liked, disliked, library) if each.ids or each.missing]
    unsure = (f"{some(cited.unsure, 'work')} named by surname and year could be several papers.",)
    return Question(
        draft,
        understood(collection.corpus, draft, map(str, found)),
        (
            *left_out(_own(collection, draft)),
            *manuscript.notes,
            *(unsure if cited.unsure else ()),
            *_problems(lists),
        ),
        tuple(_described(each.name, entry) for each in found for entry in each.missing),
        library.ids,
        str(asked) if isinstance(asked, str | Path) and is_file(str(asked)) else None,
        cited.ids,
        liked.ids,
        cited.missing,
        (*manuscript.details, *_details(lists)),
    )


def _led(collection: Collection, manuscript: Manuscript) -> str | None:
    """Return the abstract as those of the corpus are: after the keyphrases, if they are so."""
    if not collection.keyphrases:
        return manuscript.abstract
    return with_keyphrases(manuscript.abstract, manuscript.keyphrases)


def _own(collection: Collection, draft: Draft) -> tuple[PaperId, ...]:
    """Return the papers of the corpus that a draft is known to be."""
    known = () if draft.paper_id is None else (draft.paper_id,)
    return tuple(
        each for each in (*known, *draft.itself) if collection.corpus.row(each) is not None
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The papers of one list: ids of those that the corpus holds, and the others.

    unsure: how many of the others could be several papers of the corpus.
    """

    name: str
    ids: tuple[PaperId, ...]
    missing: tuple[Reference, ...]
    unsure: int = 0

    def __str__(self) -> str:
        return matched(self.name, len(self.ids), len(self.missing))


def _read(asked: Asked, lists: ReadingLists) -> tuple[Manuscript, Draft, ReadingLists]:
    """Tell apart what is to be looked up, what is known by its id, and what is wanted."""
    match asked:
        case str() | Path():
            return read_draft(asked), Draft(), lists
        case Manuscript():
            return asked, Draft(), lists
        case Reference():
            liked = replace(lists.liked, references=(asked, *lists.liked.references))
            return Manuscript(), Draft(), replace(lists, liked=liked)
    told = Manuscript(
        title=asked.title,
        abstract=asked.abstract,
        authors=asked.authors,
        venue=asked.venue,
        as_of=asked.as_of,
        paper_id=asked.paper_id,
        keyphrases=asked.keyphrases,
    )
    return told, asked, lists


def _find(
    collection: Collection, name: str, listed: Bibliography, ids: Sequence[PaperId] = ()
) -> _Found:
    """Look references up that nobody has looked up yet, and ids, which need no matching."""
    corpus, works = collection.corpus, listed.references
    meant = listed.meant
    matches: tuple[Match, ...] = ()
    if meant is None:
        matches = find_matches(collection, works) if works else ()
        meant = tuple(None if each.row is None else corpus.ids[each.row] for each in matches)
    known = {corpus.ids[row] for row in corpus.rows(ids).tolist()}
    found = dict.fromkeys(each for each in ids if each in known)
    found |= dict.fromkeys(each for each in meant if each is not None)
    missing = [Reference(id=each) for each in dict.fromkeys(ids) if each not in known]
    missing += [work for work, each in zip(works, meant, strict=True) if each is None]
    unsure = sum(
        each.row is None and named_in_prose(each.reference) and each.score > 0 for each in matches
    )
    return _Found(name, tuple(found), tuple(missing), unsure)


def _problems(lists: ReadingLists) -> tuple[str, ...]:
    return (*lists.liked.problems, *lists.disliked.problems, *lists.library.problems)


def _details(lists: ReadingLists) -> tuple[str, ...]:
    return (*lists.liked.details, *lists.disliked.details, *lists.library.details)


def _described(name: str, entry: Reference) -> str:
    facts = [*entry.authors[:1], entry.year, entry.title or entry.doi or entry.arxiv]
    text = ", ".join(str(fact) for fact in facts if fact)
    key = entry.key or (entry.id or "" if not text else "")
    return f"Not in the corpus: {name} " + ": ".join(part for part in (key, text) if part)
