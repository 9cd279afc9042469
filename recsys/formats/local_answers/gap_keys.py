"""Name the papers of a whole answer by citation keys, those of the draft's bibliography kept."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from recsys.formats import identifiers
from recsys.formats.references.bibtex import entry
from recsys.formats.references.people import name_of
from recsys.formats.references.shown_facts import bare_doi, citation_keys
from recsys.passages import LocalAnswer
from recsys.records import Paper, PaperId, Reference
from recsys.store.words import fold

_WORD = re.compile(r"[^\W_]+")
_USABLE = re.compile(r"[^\s,\\#{}~^$&%\"()]+")


@dataclass(frozen=True, slots=True)
class GapKeys:
    """The citation keys of the papers of an answer.

    names: by the paper's id. had: papers that a bibliography at hand has already, under that key.
    """

    names: Mapping[PaperId, str]
    had: frozenset[PaperId] = frozenset()

    def entry_of(self, paper: Paper) -> str | None:
        """Write a paper as BibTeX; None where a bibliography at hand has it."""
        return None if paper.id in self.had else entry(self.names[paper.id], paper)


def keys_of(answer: LocalAnswer, others: Iterable[Reference] = ()) -> GapKeys:
    """Name each paper of an answer: as the draft does, else as `--format bibtex` would.

    A new key is none that the draft has; without any, keys are those of `--format bibtex`.

    others: works of other bibliographies, whose keys count as the draft's.
    """
    papers = papers_of(answer)
    known = _Known()
    for reference in (*answer.references, *others):
        known.add(reference)
    had = {paper.id: key for paper in papers if (key := known.key_of(paper)) is not None}
    taken = {*known.keys, *(key for gap in answer.gaps for key in gap.sentence.cited)}
    new = [paper for paper in papers if paper.id not in had]
    names = {paper.id: key for paper, key in zip(new, citation_keys(new, taken), strict=True)}
    return GapKeys(names | had, frozenset(had))


def papers_of(answer: LocalAnswer) -> list[Paper]:
    """List the papers of an answer, each once, in the order in which they come."""
    shown = (item.paper for gap in answer.gaps for item in gap.recommendations)
    return list({paper.id: paper for paper in shown}.values())


def entries_of(answer: LocalAnswer, keys: GapKeys) -> str:
    """Write the papers of an answer that no bibliography at hand has, as BibTeX."""
    return "\n".join(filter(None, map(keys.entry_of, papers_of(answer))))


@dataclass(slots=True)
class _Known:
    """Works of bibliographies, found again by identifier, or by title, year and first author."""

    keys: set[str] = field(default_factory=set)
    _by_name: dict[str, str] = field(default_factory=dict)
    _by_title: dict[str, list[Reference]] = field(default_factory=dict)

    def add(self, reference: Reference) -> None:
        if not _USABLE.fullmatch(reference.key):
            return  # It could not be cited.
        self.keys.add(reference.key)
        for name in _names_of(reference):
            self._by_name.setdefault(name, reference.key)
        if title := _title_key(reference.title):
            self._by_title.setdefault(title, []).append(reference)

    def key_of(self, paper: Paper) -> str | None:
        named = (self._by_name.get(name) for name in _names_of_paper(paper))
        if key := next(filter(None, named), None):
            return key
        likely = self._by_title.get(_title_key(paper.title), ())
        return next((each.key for each in likely if _agree(each, paper)), None)


def _names_of(reference: Reference) -> Iterator[str]:
    for scheme in ("doi", "arxiv", "acl", "pmid"):
        if value := getattr(reference, scheme):
            yield f"{scheme}:{value}".lower()
    yield from (name.lower() for name in reference.ids)


def _names_of_paper(paper: Paper) -> Iterator[str]:
    if doi := bare_doi(paper):
        yield f"doi:{doi}".lower()
    for text in (paper.id, paper.url, doi):
        for scheme, found in (("arxiv", identifiers.arxiv(text)), ("acl", identifiers.acl(text))):
            if found:
                yield f"{scheme}:{found}".lower()
    yield from (alias.lower() for alias in paper.aliases)


def _title_key(title: str | None) -> str:
    return " ".join(_WORD.findall(fold(title or "")))


def _agree(reference: Reference, paper: Paper) -> bool:
    """Whether works of one title may be the same: years differ by one from preprint to print."""
    years = reference.year, paper.year
    if years[0] is not None and years[1] is not None and abs(years[0] - years[1]) > 1:
        return False
    if not reference.authors or not paper.authors:
        return True
    one, other = (fold(name_of(each[0]).family) for each in (reference.authors, paper.authors))
    return one == other
