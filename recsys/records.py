"""The values that travel through the program: papers, drafts, sentences, recommendations."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas
    import pyarrow

PaperId: TypeAlias = str
"""A corpus's own public name for a paper; the int32 `row` is its internal position."""


SUMMARY = "abstract_by"
"""The label of a paper whose abstract somebody else wrote: its value says who."""


@dataclass(frozen=True, slots=True, repr=False)
class Paper:
    """A paper of the corpus. Unknown values are None or empty, never a default.

    aliases: what else names it, so that references by those names find it: a DOI bare and in lower
    case, others with their scheme (`arxiv:2004.07180`, `pmid:123`, `openalex:W123`).
    """

    id: PaperId
    title: str
    abstract: str | None = None
    year: int | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    references: tuple[PaperId, ...] = ()
    keyphrases: tuple[str, ...] = ()
    doi: str | None = None
    url: str | None = None
    labels: Mapping[str, object] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def abstract_note(self) -> str:
        """Who wrote the abstract, for people; "" where it is the paper's own, or there is none."""
        author = self.labels.get(SUMMARY)
        return f"Summary written by {author}, not the abstract of the authors." if author else ""

    def __repr__(self) -> str:
        """Name the paper on one line."""
        year = "" if self.year is None else f", {self.year}"
        return f"Paper({self.id!r}, {self.title!r}{year})"

    def _repr_html_(self) -> str:
        """Show the paper in a notebook."""
        from recsys.formats.notebook import paper_html

        return paper_html(self)


@dataclass(frozen=True, slots=True)
class Reference:
    """A work as a file describes it: a bibliography's, a library's, or a record of an export.

    `query.matching` finds it in a corpus, `recsys.pipelines.corpora` makes corpora of such.

    key: what the file calls it, such as a citation key. id: a corpus id, where the file gives one.
    doi, arxiv, acl, pmid: bare identifiers in lower case (ACL Anthology ids as printed there),
    without prefix or address. kind: a type of CSL 1.0.2, such as `article-journal`. ids: what else
    names it, each with its scheme: `openalex:W123`, `wos:000123`, `eid:2-s2.0-85`. volume, page: as
    reference lists give them; the page is the first one, or the number of the article. cited_ids:
    ids of works that it cites, as `id` is given; cites: works it cites, as its list describes them.
    others: there are more authors than are named here: "et al.", or only the first one is read.
    """

    key: str = ""
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    abstract: str | None = None
    id: PaperId | None = None
    doi: str | None = None
    arxiv: str | None = None
    acl: str | None = None
    url: str | None = None
    kind: str | None = None
    pmid: str | None = None
    ids: tuple[str, ...] = ()
    volume: str | None = None
    page: str | None = None
    keyphrases: tuple[str, ...] = ()
    labels: Mapping[str, object] = field(default_factory=dict, hash=False)
    cited_ids: tuple[PaperId, ...] = ()
    cites: tuple["Reference", ...] = ()
    others: bool = False


@dataclass(frozen=True, slots=True)
class Bibliography:
    """References in their order, and a sentence on each kind of thing that was wrong with them.

    details: a sentence on each single thing. repeated: the keys that occur twice. digest: of what
    they were read of, where that is long enough to be remembered. meant: the papers of the corpus
    that they mean, None for nothing; None as a whole where nobody has looked yet.
    """

    references: tuple[Reference, ...] = ()
    problems: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    digest: str = ""
    meant: tuple[PaperId | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReadingLists:
    """Papers that somebody names beside a draft; `recsys.read_references` reads each list.

    liked: to find more of; never recommended themselves. disliked: never recommended, and papers
    like them sink. library: what the author has, which is marked in the answer.
    """

    liked: Bibliography = Bibliography()
    disliked: Bibliography = Bibliography()
    library: Bibliography = Bibliography()


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A draft as its file tells it, before anything is looked up in a corpus.

    references: what it cites. as_of, paper_id: see `Draft`. notes: sentences for the author on
    what was left out of the file, or is a guess. details: sentences on each single such thing.
    doi: its own, or an arXiv or ACL id. keyphrases: the keywords that it states.
    """

    title: str = ""
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    references: tuple[Reference, ...] = ()
    as_of: int | None = None
    paper_id: PaperId | None = None
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    doi: str | None = None
    keyphrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """The query document: what the author has written so far.

    `references` are ids of corpus papers that the draft already cites, or that its author likes:
    they are never recommended and serve as seeds. Neither are `disliked` ones, and papers like them
    sink. `as_of` is the year in which the draft is written (None: now, nothing in the corpus is too
    new). `paper_id` names the corpus paper that this draft is, in evaluations: it is never
    recommended to itself. `itself` are papers of the corpus that a live draft turned out to be:
    they are invisible to it, too, and change nothing else, the moment least of all. `keyphrases`
    are read where those of the corpus's papers are: before the abstract.
    """

    title: str = ""
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    references: tuple[PaperId, ...] = ()
    disliked: tuple[PaperId, ...] = ()
    as_of: int | None = None
    paper_id: PaperId | None = None
    itself: tuple[PaperId, ...] = ()
    keyphrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper is recommended: a stable `kind` for programs and `text` for people."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Recommendation:
    """One recommended paper.

    `score` orders the answer, unless diversity was asked for (higher is better, no unit);
    `probability` is the calibrated chance that the author would cite the paper; `sources` names
    what proposed it in stage one, for programs, and `found_by` says it to people. `versions` are
    other versions of the same work that would be in the answer, too, the best-ranked first.
    """

    rank: int
    paper: Paper
    score: float
    probability: float
    sources: tuple[str, ...]
    reasons: tuple[Reason, ...]
    found_by: tuple[str, ...] = ()
    versions: tuple[Paper, ...] = ()

    @property
    def why(self) -> str:
        """The first reason in words, "" where there is none."""
        return self.reasons[0].text if self.reasons else ""

    def __repr__(self) -> str:
        """Name rank, chance and paper on one line."""
        return f"Recommendation({self.rank}, {self.probability:.3f}, {self.paper!r})"


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a draft, as the place where a paper fits.

    text: its words, citation marks taken out. score: how well the paper fits there, much like a
    cosine, above 1 where the sentence names it. line, column: where it begins, from 1; None in
    files without lines. unit: what `line` counts: "line", "paragraph" (Word) or "page" (PDF). file:
    of a project, as the project names it; "" for the draft's only file. section: its title; ""
    where none is known.
    """

    text: str
    score: float
    line: int | None = None
    column: int | None = None
    unit: str = "line"
    file: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The answer to one draft: what was understood, what was considered, what is recommended.

    `stages` counts how many papers were left after each step, in order, so that an empty answer can
    say which step removed what. `notes` say what was left out of the files that were read, or is a
    guess; `missing` names the papers that the corpus does not hold; `draft` is the draft's file,
    `title` its title. `where` has the places of those recommended papers that fit a sentence of the
    draft; None where nobody looked. `corpus` names what was searched. `keys` is the pattern of the
    citation keys that `write` makes: that of the keys of the draft or the library; None: the usual.
    `taken_keys` are those that the draft has for other papers.
    """

    recommendations: tuple[Recommendation, ...]
    understood: str
    stages: Mapping[str, int]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    draft: str | None = None
    where: Mapping[PaperId, Place] | None = None
    title: str = ""
    corpus: str = ""
    keys: str | None = None
    taken_keys: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Count the papers, and say what was understood, on one line."""
        return f"Answer({len(self.recommendations)} papers; {self.understood})"

    def _repr_html_(self) -> str:
        """Show the answer in a notebook."""
        from recsys.formats.notebook import answer_html

        return answer_html(self)

    def to_arrow(self) -> "pyarrow.Table":
        """Put the answer into an Arrow table, a row for each paper."""
        from recsys.formats.notebook import answer_table

        return answer_table(self)

    def to_pandas(self) -> "pandas.DataFrame":
        """Put the answer into a data frame, a row for each paper.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from recsys.formats.notebook import answer_frame

        return answer_frame(self)

    def write(
        self, form: str = "table", path: str | Path | None = None, *, keys: str | None = None
    ) -> str:
        """Return the answer as text, as `recsys recommend --format` does.

        Args:
            form: table, json, jsonl, bibtex, ris, csl-json, csv, markdown or html.
            path: a file to write the text to, whole or not at all.
            keys: a pattern of citation keys, such as "[auth:lower][year]"; None: the answer's.

        Raises:
            InputError: there is no such format, or it is no pattern.
        """
        from recsys.formats.answers import render

        return _written(render(self if keys is None else replace(self, keys=keys), form), path)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        from recsys.formats.replacing import write_whole

        write_whole(Path(path), text)
    return text


# What a draft says sentence by sentence, and what fits where: local (or context-aware) citation
# recommendation asks of a place in a text what `recsys.recommend` asks of a whole draft.


@dataclass(frozen=True, slots=True)
class Span:
    """Where something stands in a file: lines and columns count from 1, the end is exclusive.

    Columns count characters of the line as it stands in the file, not of what became of it.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a sentence where something is cited, or where its author noted that it is not yet.

    at: how many characters of `Sentence.text` stand before it. keys: what is cited there, in the
    words of the draft's bibliography (`Reference.key`). gap: whether a citation is missing there:
    `\\cite{?}`, `[CITE]`, `\\todo{cite}`. printed: the mark as it stands in the file. span: where;
    None in files without lines.
    """

    at: int
    keys: tuple[str, ...] = ()
    gap: bool = False
    printed: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a draft's body as plain words, its citation marks taken out.

    marks: in the order of their places. section: the title of its section; "" where none is known.
    paragraph: counts the paragraphs of the body, from 0. file: the file of a project that it stands
    in, as the project names it; "" for the draft's only file. span: where it stands; in files
    without lines, `line` counts what `Body.unit` says, and columns count the characters there.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    section: str = ""
    paragraph: int = 0
    file: str = ""
    span: Span | None = None

    @property
    def cited(self) -> tuple[str, ...]:
        """Keys of what the sentence cites, each once."""
        return tuple(dict.fromkeys(key for mark in self.marks for key in mark.keys))


@dataclass(frozen=True, slots=True)
class Body:
    """The running text of a draft, in its order; abstract, tables, captions and lists left out.

    unit: what lines count: "line", "paragraph" (Word) or "page" (PDF). references: the works that
    the keys of its marks name. notes: sentences on what could not be read or is a guess.
    """

    sentences: tuple[Sentence, ...] = ()
    unit: str = "line"
    references: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """A sentence in which one paper cites another: ids of the corpus, and its words.

    section: title of the section that it stands in; "" where none is known. citing_work,
    cited_work: what a file tells of a paper beside its surest name, by which it is found in a
    corpus that knows another name or its title alone; the id is "" where there is no name at all.
    """

    citing: PaperId
    cited: PaperId
    text: str
    section: str = ""
    citing_work: Reference | None = None
    cited_work: Reference | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A place of a draft that lacks a citation, and the papers that fit there, best first.

    at: how many characters of the sentence's text stand before the place. mark: what the author
    left there; None where nothing stands but the sentence needs one. need: the calibrated chance
    that the sentence needs a citation; None where its author says so.
    """

    sentence: Sentence
    at: int
    mark: Mark | None = None
    need: float | None = None
    recommendations: tuple[Recommendation, ...] = ()

    @property
    def confident(self) -> bool:
        """Tell whether the best paper is worth a look."""
        return any(item.probability >= LEAST_MATCH for item in self.recommendations[:1])


LEAST_MATCH = 0.05
"""The chance below which the best paper of a gap is no match: on dev sentences of fields that the
ranker had not seen, hardly any such paper was right."""
LEAST_CHANCE = 0.5
"""The chance that a paper must have to be taken unseen: it is rather right than wrong."""


@dataclass(frozen=True, slots=True, repr=False)
class LocalAnswer:
    """What fits where in one draft or passage.

    understood: one sentence on what was read. counts: sentences, cited ones, gaps, in the order in
    which they were counted. notes, missing: as in `Answer`. draft: the draft's file; None for a
    passage. unit: what `Span.line` counts, see `Body`. references: what the draft's bibliography
    has, whose keys are kept.
    """

    gaps: tuple[Gap, ...]
    understood: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    draft: str | None = None
    unit: str = "line"
    references: tuple[Reference, ...] = ()

    def __repr__(self) -> str:
        """Count the places, and say what was understood, on one line."""
        return f"LocalAnswer({len(self.gaps)} places; {self.understood})"

    def write(self, form: str = "table", path: str | Path | None = None) -> str:
        """Return the answer as text, as `recsys cite --format` does.

        Args:
            form: table, json, jsonl, markdown, html, sarif or lines.
            path: a file to write the text to, whole or not at all.

        Raises:
            InputError: there is no such format.
        """
        from recsys.formats.answers import render_local

        return _written(render_local(self, form), path)
