"""Resolve a draft: what the user gave, in the terms of an open index."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from recsys.errors import InputError, RecsysError, near_path
from recsys.formats.drafts.wording import counted
from recsys.formats.references.citation_keys import pattern_of
from recsys.query.matching import Match, match, named_in_prose, without_mark_up
from recsys.query.question_schema import Filters, is_file, named_paper, read_draft
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
from recsys.store.corpus import Corpus
from recsys.store.names import agree, name_keys
from recsys.store.words import folded_words, with_keyphrases, without_keyphrases

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
    each single thing that `notes` count. meant: the paper that each reference of the manuscript
    means, None where the corpus does not hold it. keys: the pattern that the citation keys of the
    draft, else of the library, follow; see `citation_keys`. taken_keys: those of the draft.
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
    meant: tuple[PaperId | None, ...] = ()
    keys: str | None = None
    taken_keys: tuple[str, ...] = ()

    def filtered(self, filters: Filters) -> Filters:
        """Name the papers of the library to filters that leave them out."""
        if not filters.exclude_library:
            return filters
        return replace(filters, library=(*filters.library, *self.library))

    def marked(self, items: Iterable[Recommendation]) -> tuple[Recommendation, ...]:
        """Add to the reasons of papers that they, or other versions, are in the library."""
        owned = frozenset(self.library)
        return tuple(
            item
            if owned.isdisjoint(paper.id for paper in (item.paper, *item.versions))
            else replace(item, reasons=(*item.reasons, IN_LIBRARY))
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


def resolve_draft(
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
    plain = without_mark_up(manuscript.title), without_mark_up(manuscript.abstract or "")
    manuscript = replace(manuscript, title=plain[0], abstract=plain[1] or None)
    cited = _find(collection, "reference", Bibliography(manuscript.references), ids.references)
    liked = _find(collection, "liked paper", lists.liked)
    disliked = _find(collection, "disliked paper", lists.disliked, ids.disliked)
    library = _find(collection, "library paper", lists.library)
    itself = () if manuscript.paper_id else find_itself(collection, manuscript)
    for work in (*liked.missing, *disliked.missing, *library.missing):
        if work.key and work == Reference(key=work.key, id=work.key):
            what = f"There is no file {work.key} and no paper of the corpus has that id."
            hint = (
                "Give a bibliography (.bib, .ris, .json, .csv), a DOI, an arXiv id or a corpus id."
            )
            raise InputError(what + near_path(Path(work.key)), hint)
    abstract, keyphrases = manuscript.abstract, manuscript.keyphrases
    if collection.keyphrases:  # Abstracts of the corpus begin with theirs.
        abstract = with_keyphrases(abstract, keyphrases)
    draft = Draft(
        title=manuscript.title,
        abstract=abstract,
        authors=manuscript.authors,
        venue=manuscript.venue,
        references=tuple(dict.fromkeys([*cited.ids, *liked.ids])),
        disliked=disliked.ids,
        as_of=manuscript.as_of if as_of is None else as_of,
        paper_id=manuscript.paper_id,
        itself=tuple(dict.fromkeys((*itself, *ids.itself))),
        keyphrases=keyphrases if collection.keyphrases else (),
    )
    named = [listed for listed in (cited, liked, disliked, library) if listed.ids or listed.missing]
    own = filter(None, (draft.paper_id, *draft.itself))
    if held := ", ".join(name for name in own if collection.corpus.row(name) is not None):
        held = f"The corpus holds the draft itself ({held}): it is left out."
    unknown = [each.id for each in cited.missing if each.id in ids.references]
    unsure = f"{counted(cited.unsure, 'work')} named by surname and year could be several papers."
    read_lists = (lists.liked, lists.disliked, lists.library)
    return Question(
        draft,
        understood(collection.corpus, draft, map(str, named)),
        (
            *((held,) if held else ()),
            *manuscript.notes,
            *((unsure,) if cited.unsure else ()),
            *((f"Not in the corpus: {', '.join(map(str, unknown))}.",) if unknown else ()),
            *(problem for listed in read_lists for problem in listed.problems),
        ),
        tuple(_described(listed.name, entry) for listed in named for entry in listed.missing),
        library.ids,
        str(asked) if isinstance(asked, str | Path) and is_file(str(asked)) else None,
        cited.ids,
        liked.ids,
        cited.missing,
        (*manuscript.details, *(detail for listed in read_lists for detail in listed.details)),
        cited.meant,
        pattern_of(manuscript.references) or pattern_of(lists.library.references),
        tuple(work.key for work in manuscript.references if work.key),
    )


def _read(asked: Asked, lists: ReadingLists) -> tuple[Manuscript, Draft, ReadingLists]:
    """Tell apart what is to be looked up, what is known by its id, and what is wanted."""
    if isinstance(asked, str | Path):
        return read_draft(asked), Draft(), lists
    if isinstance(asked, Manuscript):
        return asked, Draft(), lists
    if isinstance(asked, Reference):
        liked = replace(lists.liked, references=(asked, *lists.liked.references))
        return Manuscript(), Draft(), replace(lists, liked=liked)
    facts = ("title", "abstract", "authors", "venue", "as_of", "paper_id", "keyphrases")
    return Manuscript(**{name: getattr(asked, name) for name in facts}), asked, lists


@dataclass(frozen=True, slots=True)
class _Listed:
    """The papers of one list: ids of those that the corpus holds, and the others.

    unsure: how many of the others could be several papers of the corpus. meant: the paper of each
    reference.
    """

    name: str
    ids: tuple[PaperId, ...]
    missing: tuple[Reference, ...]
    unsure: int = 0
    meant: tuple[PaperId | None, ...] = ()

    def __str__(self) -> str:
        """Say how many there are: `31 references: 27 matched, 4 not in the corpus`."""
        rest = f", {len(self.missing)} not in the corpus" if self.missing else ""
        number = len(self.ids) + len(self.missing)
        return f"{counted(number, self.name)}: {len(self.ids)} matched{rest}"


def _find(
    collection: Collection, name: str, listed: Bibliography, ids: Sequence[PaperId] = ()
) -> _Listed:
    """Look references up that nobody has looked up yet, and ids; those may be DOIs instead."""
    corpus, works = collection.corpus, listed.references
    meant = listed.meant
    matches: tuple[Match, ...] = ()
    if meant is None:
        matches = match(collection, works) if works else ()
        meant = tuple(None if one.row is None else corpus.ids[one.row] for one in matches)
    known = {corpus.ids[row] for row in corpus.rows(ids).tolist()}
    there = dict.fromkeys([*(each for each in ids if each in known), *filter(None, meant)])
    others = [paper_id for paper_id in dict.fromkeys(ids) if paper_id not in known]
    if others:
        named = match(collection, tuple(map(named_paper, others)))
        there |= dict.fromkeys(corpus.ids[one.row] for one in named if one.row is not None)
        others = [name for name, one in zip(others, named, strict=True) if one.row is None]
    missing = [Reference(id=name) for name in others]
    missing += [work for work, paper in zip(works, meant, strict=True) if paper is None]
    vague = (one for one in matches if one.row is None and one.score > 0)
    unsure = sum(named_in_prose(one.reference) for one in vague)
    return _Listed(name, tuple(there), tuple(missing), unsure, tuple(meant))


# What was understood of a draft, in words: the first line that its author reads.


def understood(corpus: Corpus, draft: Draft, lists: Iterable[str]) -> str:
    """Say what there is and what the corpus knows of it.

    lists: what is said of each list of papers.
    """
    words = len((without_keyphrases(draft.abstract, draft.keyphrases) or "").split())
    parts = [
        "title" if draft.title.strip() else "no title",
        f"abstract ({counted(words, 'word')})" if words else "no abstract",
    ]
    if draft.keyphrases:
        parts.append(counted(len(draft.keyphrases), "keyphrase"))
    if draft.authors:
        known = corpus.written_by(draft.authors).known
        parts.append(f"{counted(len(draft.authors), 'author')} ({known} in the corpus)")
    if draft.venue:
        known = corpus.venue_code(draft.venue) >= 0
        parts.append("venue" if known else "venue (not in the corpus)")
    parts += lists
    if draft.as_of is not None:
        parts.append(f"as of {draft.as_of}")
    return f"Understood: {', '.join(parts)}."


def _described(name: str, entry: Reference) -> str:
    facts = [*entry.authors[:1], entry.year, entry.title or entry.doi or entry.arxiv]
    text = ", ".join(str(fact) for fact in facts if fact)
    key = entry.key or ("" if text else entry.id)
    return f"Not in the corpus: {name} " + ": ".join(filter(None, (key, text)))


# Find the draft itself in the corpus: who wrote it shall not be told to cite it.
#
# By its DOI, arXiv or ACL id; else by its title, where an author or the abstract agrees. A
# preprint and what became of it are two such papers.

ASKED = 10
"""How many papers of about that title are looked at."""
SHORTEST_TITLE = 3
"""Words of a title that may tell a paper; "Introduction" is that of many."""
SAME_ABSTRACT = 0.8
"""Share of the distinct words of two abstracts from which on they are one."""


def find_itself(collection: Collection, manuscript: Manuscript) -> tuple[PaperId, ...]:
    """Return the ids of the papers of the corpus that a draft is, ascending; mostly none."""
    corpus, rows = collection.corpus, set[int]()
    if manuscript.doi:
        # With its title, so that a slip in the identifier is not believed.
        work = replace(named_paper(manuscript.doi), key="", title=manuscript.title or None)
        rows |= {one.row for one in match(collection, [work]) if one.row is not None}
    words = folded_words(manuscript.title)
    if len(words) >= SHORTEST_TITLE:
        query = collection.terms.query(manuscript.title, None)
        offered, _ = collection.text_index.search(query, ASKED)
        alike = [row for row in offered.tolist() if folded_words(corpus.title(row)) == words]
        rows |= {row for row in alike if _agrees(manuscript, corpus, row)}
    return tuple(sorted(corpus.ids[row] for row in rows))


def _agrees(manuscript: Manuscript, corpus: Corpus, row: int) -> bool:
    """Whether a paper of the same title has an author of the draft, or its abstract."""
    theirs = defaultdict[str, list[str]](list)  # By surname: some papers have 5,000 authors.
    for key in name_keys(corpus.papers([row])[0].authors):
        theirs[key.split(" ")[0]].append(key)
    for key in name_keys(manuscript.authors):
        if any(agree(key, other) is not False for other in theirs[key.split(" ")[0]]):
            return True
    if not manuscript.abstract:
        return False
    stored = corpus.full_papers([row])[0].abstract  # Reading it costs more than all the rest.
    one, other = (set(folded_words(text)) for text in (manuscript.abstract, stored))
    return bool(one and other) and len(one & other) >= SAME_ABSTRACT * len(one | other)
