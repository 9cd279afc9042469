"""What can be asked, and how its drafts and papers are named: by file, by identifier, or as text.

The options of a question are written down once: command line, page and API are made of them.

A field of `QuestionOptions` is an option. To add one is to add a field here, with its `OptionSpec`,
and to say what it does: a filter is a field of `Filters` of the same name, too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict, get_args, get_origin

from recsys.errors import InputError, check_name
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Bibliography, Manuscript, PaperId, Reference
from recsys.store.names import author_key

MOST_VENUES = 20_000
"""Letters of all patterns of venues: a million would take minutes to compile."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a recommended paper must fulfil; by default, that it is a paper.

    min_year, max_year: both included; papers of unknown year pass neither. venues: patterns with
    `*`, `?` and `[...]`, of which one must match the whole venue, however its letters are cased and
    accented, with or without years and punctuation. types: see `paper_types`; one must be among the
    paper's. exclude_authors: names; a surname alone means all who bear it. exclude_own:
    leave out papers by the draft's authors. library: ids of papers to leave out. exclude_library:
    also leave out the library that is given beside the draft. keep_front_matter: let prefaces,
    indexes, errata and the like through, see `store.front_matter`.

    What is left out remains evidence: it votes for others, and is compared with them; front matter
    alone is not compared.
    """

    min_year: int | None = None
    max_year: int | None = None
    venues: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    exclude_authors: tuple[str, ...] = ()
    exclude_own: bool = False
    library: tuple[PaperId, ...] = ()
    exclude_library: bool = False
    keep_front_matter: bool = False

    def narrowed(self, words: Mapping[str, object]) -> "Filters":
        """Return these filters with some of them set anew, by name; one text stands for several.

        Raises:
            InputError: there is no filter of that name.
        """
        names = [each.name for each in fields(self)]
        values: dict[str, Any] = {}
        for name, value in words.items():
            check_name(name, names, "filter")
            several = isinstance(getattr(self, name), tuple)
            if several and isinstance(value, Iterable):
                value = (value,) if isinstance(value, str) else tuple(value)
            values[name] = value
        return replace(self, **values)

    def check(self) -> None:
        """Refuse what no paper could fulfil, or no name.

        Raises:
            InputError: naming the first such value.
        """
        if self.min_year is not None and self.max_year is not None:
            if self.min_year > self.max_year:
                what = f"No year is from {self.min_year} on and up to {self.max_year}."
                raise InputError(what, "Exchange --min-year and --max-year.")
        for option, values in (("--venue", self.venues), ("--type", self.types)):
            if not all(value.strip() for value in values):
                raise InputError(f"The value of {option} is empty.", "Give one, or leave it out.")
        if sum(map(len, self.venues)) > MOST_VENUES:
            what = f"The values of --venue have more than {MOST_VENUES:,} letters."
            raise InputError(what, "Give fewer, or shorter patterns.")
        for name in self.exclude_authors:
            if author_key(name) is None:
                what = f"{name!r} is not an author's name."
                raise InputError(what, "Give --exclude-author a surname.")


NO_FILTERS = Filters()


class FilterWords(TypedDict, total=False):
    """The filters as keyword arguments: fields of `Filters`, named as the options are."""

    min_year: int | None
    max_year: int | None
    venues: str | Sequence[str]
    types: str | Sequence[str]
    exclude_authors: str | Sequence[str]
    exclude_own: bool
    library: str | Sequence[PaperId]
    exclude_library: bool
    keep_front_matter: bool


EARLIEST, LATEST = 1000, 2999
"""Years that the page and the API take."""
SHOWN = 20
"""Papers of an answer, unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """What people and programs are told of an option, and what it may be.

    flag: its name on the command line. help: for the command line and for programs; `{papers}` is
    how each of them names papers. metavar: what its value is called; YEAR is a year and PAPERS
    names papers to all three. unset: what it is where nobody says it. least, most: both allowed.
    label: its words on the page, "" where the page asks in another way. hint: below its field.
    choices: what the page lets choose, and what it calls that. form: its name in the form and in
    addresses, where that is another.
    """

    flag: str
    help: str
    metavar: str | None = None
    unset: str | None = None
    least: float | None = None
    most: float | None = None
    label: str = ""
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    form: str = ""


_papers = partial(OptionSpec, metavar="PAPERS", unset="none")
_any = partial(OptionSpec, unset="any")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """What is asked beside a draft, in the order in which help shows it.

    seeds, not_like, library: as they were named; `records.ReadingLists` holds what they mean.
    """

    k: Annotated[int, OptionSpec("-k", "Number of papers to recommend.", least=1)] = SHOWN
    where: Annotated[
        bool, OptionSpec("--where", "Show the sentence of the draft that each paper fits best.")
    ] = False
    seeds: Annotated[
        tuple[str, ...], _papers("--seeds", "Find more papers like these: {papers}.")
    ] = ()
    not_like: Annotated[
        tuple[str, ...],
        _papers("--not-like", "Rank papers like these lower; given as for --seeds."),
    ] = ()
    library: Annotated[
        tuple[str, ...],
        _papers("--library", "Mark the papers that you have; given as for --seeds."),
    ] = ()
    exclude_library: Annotated[
        bool,
        OptionSpec(
            "--exclude-library",
            "Leave out the papers of --library instead of marking them.",
            label="Leave out what is in your library",
        ),
    ] = False
    as_of: Annotated[
        int | None,
        OptionSpec(
            "--as-of",
            "Answer as of this year: nothing newer is recommended or counted.",
            metavar="YEAR",
            unset="the draft's own year, else now",
            least=EARLIEST,
            most=LATEST,
            label="As of year",
        ),
    ] = None
    min_year: Annotated[
        int | None,
        _any("--min-year", "Recommend only papers from this year on.", "YEAR", label="From year"),
    ] = None
    max_year: Annotated[
        int | None,
        _any(
            "--max-year",
            "Recommend only papers up to this year. Unlike with --as-of, newer papers still count "
            "as evidence.",
            "YEAR",
            label="To year",
        ),
    ] = None
    venues: Annotated[
        tuple[str, ...],
        _any(
            "--venue",
            'Recommend only papers of matching venues, such as "*TVCG*".',
            "GLOB",
            label="Venues",
        ),
    ] = ()
    exclude_authors: Annotated[
        tuple[str, ...],
        OptionSpec(
            "--exclude-author",
            "Leave out papers by this author.",
            "NAME",
            "none",
            label="Nothing by these authors",
            hint="Surnames, semicolons between them.",
        ),
    ] = ()
    exclude_own: Annotated[
        bool,
        OptionSpec(
            "--exclude-own",
            "Leave out papers by the draft's authors.",
            label="Leave out papers by the draft\u2019s authors",
        ),
    ] = False
    keep_front_matter: Annotated[
        bool,
        OptionSpec(
            "--keep-front-matter",
            "Also recommend prefaces, indexes, errata and the like.",
            label="Show prefaces, indexes and errata, too",
        ),
    ] = False
    types: Annotated[
        tuple[str, ...],
        _any(
            "--type",
            "Recommend only papers of this type, such as article or review.",
            "TYPE",
            label="Types",
        ),
    ] = ()
    diversity: Annotated[
        float,
        OptionSpec(
            "--mmr",
            "Diversify the answer by maximal marginal relevance: 0 orders by score, 1 by novelty.",
            least=0,
            most=1,
            label="Order",
            choices=(("0", "Best first"), ("0.3", "Some variety"), ("0.6", "Much variety")),
            form="mmr",
        ),
    ] = 0.0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "QuestionOptions":
        """Take options by their names, several words as any list or None; others are left out."""
        given = [each for each in options() if each.name in values]
        lists = {each.name: tuple(values[each.name] or ()) for each in given if each.several}
        return cls(**{each.name: values[each.name] for each in given} | lists)

    @property
    def filters(self) -> Filters:
        """The filters among the options."""
        values = {each.name: getattr(self, each.name) for each in options() if each.is_filter}
        return Filters(**values)


_FILTERS = {each.name for each in fields(Filters)} - {"library"}
"""The library of a question is named; that of `Filters` holds the ids of papers."""


class QuestionOption(NamedTuple):
    """A field of `QuestionOptions`. kind: its type; several words are a tuple of str."""

    name: str
    kind: Any
    default: Any
    spec: OptionSpec

    @property
    def is_filter(self) -> bool:
        """Whether it says which papers may be recommended."""
        return self.name in _FILTERS

    @property
    def type(self) -> type[bool | int | float | str]:
        """The type of one value."""
        found: type[bool | int | float | str] = next(
            each for each in (*get_args(self.kind), self.kind) if each in (bool, int, float, str)
        )
        return found

    @property
    def several(self) -> bool:
        """Whether it may be given several times."""
        return get_origin(self.kind) is tuple

    @property
    def field(self) -> str:
        """Its name in the form of the page."""
        return self.spec.form or self.name


def options() -> Iterator[QuestionOption]:
    """List the options of a question, in the order in which help shows them."""
    for field in fields(QuestionOptions):
        kind, spec = get_args(field.type)
        yield QuestionOption(field.name, kind, field.default, spec)


# Read what somebody names: a draft, and papers.

_TEXT = Path("the text of the draft")
"""What errors call a draft that is no file."""


def read_draft(
    given: str | Path, *, title: str | None = None, abstract: str | None = None
) -> Manuscript:
    """Read a draft from a file, or from its text.

    Args:
        given: a path, as a Path or as a string that names a file; `-` is standard input. Any other
            string is the draft itself: LaTeX, Markdown, a JSON object, or plain text, whose first
            paragraph is the title.
        title: goes before the draft's own.
        abstract: goes before the draft's own.

    Raises:
        InputError: the file cannot be read, or (DraftError) it says nothing.
        MissingExtraError: its format needs a package that is not installed.
    """
    from recsys.formats.drafts.draft_formats import open_draft, parse_draft

    if isinstance(given, Path) or is_file(given):
        return open_draft(Path(given), title=title, abstract=abstract).manuscript
    draft = parse_draft(given.encode("utf-8", errors="replace"), _TEXT)
    return replace(draft, title=title, abstract=abstract).manuscript


def read_references(*given: str | Path) -> Bibliography:
    """Read a list of papers; what is wrong with a file is in the list's `problems`.

    Args:
        given: bibliographies (BibTeX, RIS, CSL-JSON, Zotero, CSV, HTML), DOIs, arXiv and ACL ids,
            ids of the corpus.

    Raises:
        InputError: a file cannot be read.
    """
    references: list[Reference] = []
    problems: list[str] = []
    details: list[str] = []
    for word in given:
        if isinstance(word, Path) or is_file(word):
            from recsys.formats.references.reference_formats import read_bibliography

            listed = read_bibliography(Path(word))
            references += listed.references
            problems += [f"{word}: {problem}" for problem in listed.problems]
            details += [f"{word}: {detail}" for detail in listed.details]
        else:
            references.append(named_paper(word))
    return Bibliography(tuple(references), tuple(problems), tuple(details))


def named_paper(word: str) -> Reference:
    """Take a word for one paper: its DOI, arXiv or ACL id, alone or as an address, else its id."""
    return Reference(key=word, id=word, doi=doi(word), arxiv=arxiv(word), acl=acl(word))


def is_file(word: str) -> bool:
    """Tell the path of a file, though it be missing, and `-` for stdin, from all other words."""
    if word == "-":
        return True
    if "\n" in word or "\0" in word:
        return False
    try:
        if Path(word).exists():
            return True
    except OSError:  # Too long for a path.
        return False
    from recsys.formats.drafts.draft_formats import FORMATS as DRAFTS
    from recsys.formats.source_formats import LISTS

    # What is in a .txt tells its format, so no row has it.
    suffixes = [*(form.suffixes for form in DRAFTS), *(form.suffixes for form in LISTS)]
    meant_so = Path(word).suffix.lower() in {".txt"}.union(*suffixes)
    return meant_so and named_paper(word) == Reference(key=word, id=word)
