"""The values that the pages show: text as it is; the templates escape it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexChoice:
    """An index that can be asked. about: a sentence part, such as `6,951 papers, 1986 to 2026`."""

    name: str
    papers: int
    about: str


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same on every page of one answer.

    index: the name of the one that the page speaks of. starter: it is the starter corpus. map:
    maps can be drawn.
    """

    indexes: tuple[IndexChoice, ...]
    index: str
    version: str
    starter: bool = False
    map: bool = True


@dataclass(frozen=True, slots=True)
class Listed:
    """A paper in a list. facts: who and when. address: its page within the site."""

    id: str
    title: str
    facts: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """What the question is now; the fields of the HTML form carry the same names.

    authors, references, venues, types, exclude_authors, more_like, less_like: one per line.
    cites, more, less: corpus papers that were found. library: ids of the author's own papers, sent
    back as one JSON array. Years and `mmr` are strings as typed. text: the sentences of a draft,
    sent back as they are. keyphrases: None where the index reads none.
    """

    index: str
    title: str = ""
    abstract: str = ""
    authors: str = ""
    venue: str = ""
    cites: tuple[Listed, ...] = ()
    references: str = ""
    more: tuple[Listed, ...] = ()
    less: tuple[Listed, ...] = ()
    library: tuple[str, ...] = ()
    min_year: str = ""
    max_year: str = ""
    venues: str = ""
    types: str = ""
    exclude_authors: str = ""
    as_of: str = ""
    exclude_own: bool = False
    exclude_library: bool = False
    keep_front_matter: bool = False
    mmr: str = "0"
    more_like: str = ""
    less_like: str = ""
    passage: str = ""
    text: str = ""
    keyphrases: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Where in the draft a paper fits best. place: such as `paper.tex:120`. sentence: in quotes."""

    place: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Item:
    """A recommended paper.

    link: its web address, http(s) only, or empty. percent: the probability in words. key: for
    BibTeX. coins: an element that Zotero reads, HTML that is safe. address: its page. where: None
    where nobody looked, or it fits no single sentence. versions: others of the same work.
    """

    rank: int
    id: str
    title: str
    link: str | None
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    probability: float
    percent: str
    reasons: tuple[str, ...]
    in_library: bool
    key: str
    coins: str
    address: str
    doi: str | None = None
    where: Where | None = None
    versions: tuple[Listed, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceShown:
    """A place that lacks a citation, and the papers that fit there.

    name: such as `paper.tex:120:14`. before, after: the words of its sentence around it. kind: what
    it is, such as `citation missing`. section: "" where none is known.
    """

    name: str
    before: str
    after: str
    kind: str
    section: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class FoundHere:
    """What fits where: in a passage, whose only place is shown, or in the sentences of a draft.

    draft: its file's name; "" for a passage. counted: a sentence on what was looked at. share: as
    in `Found`.
    """

    form: Form
    draft: str
    understood: str
    counted: str
    notes: tuple[str, ...]
    missing: tuple[str, ...]
    places: tuple[PlaceShown, ...]
    share: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: what was understood, and one page of recommended papers.

    missing: named papers that the corpus does not hold. removed: a sentence on what the filters
    left out. next, previous: what asks for those pages, or empty. share: the address within the
    site that holds the question, empty where it is too large for one.
    """

    form: Form
    understood: str
    notes: tuple[str, ...]
    missing: tuple[str, ...]
    items: tuple[Item, ...]
    removed: str
    next: str = ""
    previous: str = ""
    first_rank: int = 1
    share: str = ""


@dataclass(frozen=True, slots=True)
class PaperShown:
    """A paper's page. cites_more, cited_by_more: how many more there are than are listed."""

    id: str
    title: str
    link: str | None
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    abstract: str | None
    doi: str | None
    url: str | None
    cites: tuple[Listed, ...]
    cited_by: tuple[Listed, ...]
    cites_more: int
    cited_by_more: int
    similar: tuple[Listed, ...]
    bibtex: str
    coins: str
    keyphrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API. parameters: (name, where, required, description) each."""

    method: str
    path: str
    summary: str
    description: str
    curl: str
    parameters: tuple[tuple[str, str, bool, str], ...] = ()
