"""The values of local recommendation: what a draft says sentence by sentence, and what fits where.

Local (or context-aware) citation recommendation asks of a place in a text what `recsys.recommend`
asks of a whole draft.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recsys.records import PaperId, Recommendation, Reference

LEAST_CHANCE = 0.5
"""The chance that a paper must have to be taken unseen: it is rather right than wrong."""


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


@dataclass(frozen=True, slots=True)
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
