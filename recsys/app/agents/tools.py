"""The tools of `recsys mcp`: one literal table, each a row with what it takes, does and answers.

They answer as the API does, by the same functions. The docstring of what runs a tool is what agents
are told of it, and the one below a field what they are told of that argument.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from recsys.app.check_wiring import checked
from recsys.app.web import api_models as models
from recsys.app.web.api_models import WHOLE, DescribedBody, Name, Text, Year
from recsys.app.web.api_routes import index_record, page_record, paper_record, papers_page
from recsys.app.web.index_registry import OpenIndex, ServedIndex
from recsys.app.web.questions import (
    MOST_CHECKED,
    WebQuestion,
    answer_page,
    answer_passage,
    around,
    papers_named,
    posed,
)
from recsys.app.web.replies import UnknownPaper, digest_of, offset_in, token
from recsys.checking.check import index_source
from recsys.checking.listed import Listed, read_listed
from recsys.checking.verdicts import Verdict
from recsys.errors import InputError
from recsys.formats.bodies.running_text import LONGEST_PASSAGE
from recsys.formats.check_formats import check_record
from recsys.formats.drafts.bundle import read_bundle
from recsys.formats.drafts.draft_formats import open_draft
from recsys.formats.local_answers.gap_json import local_record
from recsys.formats.local_answers.shown_gaps import keys_of
from recsys.formats.references.citation_keys import citation_keys
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.formats.references.reference_writers import WRITERS
from recsys.local.cite import LocalQuestion
from recsys.query.question_schema import QuestionOptions, named_paper
from recsys.query.search import search
from recsys.records import Bibliography, Manuscript, ReadingLists
from recsys.store.arrays import Rows

PER_PAGE = 10
"""Papers of an answer, unless another number is asked for: agents pay for each."""
THE_TEXT = "the text"
"""What errors and notes call a draft or a bibliography that is no file."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What tools work on: the index, and the folders below which files may be read."""

    served: ServedIndex
    roots: tuple[Path, ...] = ()

    @property
    def opened(self) -> OpenIndex:
        """The index as it is now."""
        return self.served.current()

    def allowed(self, path: str) -> tuple[Path, Path]:
        """Return where a file or folder lies, every link resolved, and the root it lies below.

        Raises:
            InputError: it is outside of all roots, or is not there.
        """
        for root in () if ".." in Path(path).parts else self.roots:
            try:
                at = (root / path).resolve()
                if at.is_relative_to(root) and (at.is_file() or at.is_dir()):
                    return at, root
            except (OSError, ValueError, RuntimeError):  # Too long, a NUL, a circle of links.
                continue
        raise InputError(
            "No such file may be read here.",
            f"Give a path without .. below {' or '.join(map(str, self.roots))}, or its text."
            if self.roots
            else "Give its text; the user allows files with `recsys mcp --root DIR`.",
        )


class ToolBody(DescribedBody):
    """The arguments of a tool."""

    SHAPE: ClassVar[str] = "See the input schema of the tool."


class TextOrFile(ToolBody):
    """What somebody wrote: its text, or where it lies."""

    text: Text | None = None
    path: Name | None = None
    """Of a file or project folder to read instead of `text`, if the user allowed its folder."""
    next: Name | None = None
    """`next` of the answer before: asks for what follows it."""

    def taken(self) -> tuple[str | None, str | None]:
        """Return the text and the path.

        Raises:
            InputError: both are given.
        """
        if self.text is not None and self.path is not None:
            raise InputError("A text and a path are given.", "Give one of them.")
        return self.text, self.path


class Recommend(TextOrFile):
    """A draft."""

    text: Text | None = None
    """The draft: plain text that begins with its title, LaTeX or Markdown."""
    seeds: Annotated[list[Name], Field(default_factory=list, max_length=200)]
    """Ids of papers to find more of, with a draft or without."""
    k: Annotated[int, Field(ge=1, le=models.MOST_PER_PAGE), WHOLE] = PER_PAGE
    """Papers of an answer."""
    min_year: Year | None = None
    max_year: Year | None = None
    as_of: Year | None = None
    """Nothing newer than this year is recommended or counted as evidence."""


class Cite(ToolBody):
    """A passage."""

    text: Annotated[str, Field(max_length=LONGEST_PASSAGE)]
    """The sentence, best with those around it; | marks where the citation goes."""
    title: Text | None = None
    """Of the draft."""
    abstract: Text | None = None
    """Of the draft."""
    k: Annotated[int, Field(ge=1, le=20), WHOLE] = 3
    as_of: Year | None = None


class Check(TextOrFile):
    """References."""

    text: Text | None = None
    """The bibliography: BibTeX, RIS, CSL-JSON or a reference on each line."""
    everything: bool = False
    """Also show the references that are confirmed without remarks."""


class Search(ToolBody):
    """Words."""

    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    """Words, a title, an author, an id or a DOI."""
    k: Annotated[int, Field(ge=1, le=models.MOST_PER_PAGE), WHOLE] = PER_PAGE
    next: Name | None = None


class One(ToolBody):
    """A paper."""

    id: Name
    """As an answer gives it, or a DOI, arXiv or ACL id."""


class Follow(One):
    """A paper and a direction."""

    direction: Literal["cited_by", "cites"]
    """cited_by: the papers that cite it; cites: those that it cites."""
    k: Annotated[int, Field(ge=1, le=models.MOST_PER_PAGE), WHOLE] = PER_PAGE
    next: Name | None = None


class Export(ToolBody):
    """Papers and a format."""

    ids: Annotated[list[Name], Field(min_length=1, max_length=200)]
    format: Literal[tuple(WRITERS)] = "bibtex"  # type: ignore[valid-type]  # Its rows.


class Nothing(ToolBody):
    """No arguments."""


class CheckedPage(models.CheckModel):
    """Some of the checked references; `next` asks for those after, null where there are none."""

    next: str | None


def recommend_citations(desk: Desk, asked: Recommend) -> dict[str, Any]:
    """Recommend papers that a draft should cite, best first.

    Each has a calibrated probability and reasons. What the draft cites already is left out.
    """
    text, path = asked.taken()
    manuscript = Manuscript()
    if path is not None:
        at, root = desk.allowed(path)
        manuscript = open_draft(at, root=root).manuscript
    elif text is not None:
        manuscript = read_bundle({THE_TEXT: text.encode("utf-8", "replace")}).manuscript()
    elif not asked.seeds:
        raise InputError("Nothing is asked about.", "Give a text, a path or seeds.")
    options = QuestionOptions(
        k=asked.k, as_of=asked.as_of, min_year=asked.min_year, max_year=asked.max_year
    )
    options.filters.check()
    liked = Bibliography(tuple(map(named_paper, asked.seeds)))
    question = WebQuestion(
        draft=manuscript,
        lists=ReadingLists(liked=liked),
        options=options,
        page=asked.next or "",
    )
    opened, facts = desk.opened, asked.model_dump(exclude={"next"}) | {"draft": manuscript}
    return page_record(opened, answer_page(opened, question, posed(opened, question), facts))


def cite_sentence(desk: Desk, asked: Cite) -> dict[str, Any]:
    """Recommend papers for one place in a text that lacks a citation."""
    opened, draft = desk.opened, Manuscript(title=asked.title or "", abstract=asked.abstract)
    question = LocalQuestion(asked.k, as_of=asked.as_of)
    answer = answer_passage(opened, draft, asked.text, None, question)
    return local_record(answer, keys_of(answer)) | {"index": opened.name}


def check_references(desk: Desk, asked: Check) -> dict[str, Any]:
    """Compare references with the corpus: which differ from their record, or are not found.

    A reference that is not found may still exist elsewhere.
    """
    text, path = asked.taken()
    if path is not None:
        listed = read_listed(*desk.allowed(path))
    else:
        books = parse_bibliography(text or "", THE_TEXT)
        listed = Listed(books.references, books.problems)
    if not listed.references:
        raise InputError("No reference is given.", "Give a bibliography as `text` or `path`.")
    if len(listed.references) > MOST_CHECKED:
        what = f"{len(listed.references):,} references are given."
        raise InputError(what, f"Give {MOST_CHECKED:,} at most; `recsys check` has no limit.")
    opened = desk.opened
    source = index_source(opened.recommender.collection, opened.name)
    record = check_record(checked(listed, [source])) | {"index": opened.name}
    shown = [
        item
        for item in record["references"]
        if asked.everything or item["remarks"] or item["verdict"] != Verdict.CONFIRMED
    ]
    digest = digest_of(opened.fingerprint, {"check": record, "everything": asked.everything})
    begin = offset_in(asked.next, digest) if asked.next else 0
    end = begin + PER_PAGE
    rest = token(end, digest) if end < len(shown) else None
    return record | {"references": shown[begin:end], "next": rest}


def search_papers(desk: Desk, asked: Search) -> dict[str, Any]:
    """Find papers of the corpus by words. get_paper shows their abstracts."""
    opened = desk.opened
    return _listed(opened, search(opened.recommender.collection, asked.query), asked)


def _listed(opened: OpenIndex, rows: Rows, asked: "Search | Follow") -> dict[str, Any]:
    """Write a page of papers without their abstracts, which take most of the room."""
    facts, start = asked.model_dump(exclude={"next"}), asked.next or ""
    record = papers_page(opened, rows, facts, start, asked.k)
    papers = [each | {"abstract": None, "abstract_note": None} for each in record["papers"]]
    return record | {"papers": papers}


def get_paper(desk: Desk, asked: One) -> dict[str, Any]:
    """Show a paper with its abstract; follow_citations lists its citations."""
    return paper_record(around(desk.opened, asked.id).paper)


def follow_citations(desk: Desk, asked: Follow) -> dict[str, Any]:
    """List the papers of the corpus that cite a paper, or that it cites, newest first."""
    opened = desk.opened
    known = around(opened, asked.id)
    return _listed(opened, known.cites if asked.direction == "cites" else known.cited_by, asked)


def export_bibliography(desk: Desk, asked: Export) -> str:
    """Write papers as a bibliography."""
    known, missing = papers_named(desk.opened, asked.ids)
    if missing:
        raise UnknownPaper(
            f"The corpus holds no paper {', '.join(map(repr, missing))}.",
            "Look for them with search_papers.",
        )
    return WRITERS[asked.format](known, citation_keys(known))


def corpus_info(desk: Desk, asked: Nothing) -> dict[str, Any]:
    """Tell how many papers and citations the corpus holds, and of which years."""
    return index_record(desk.served)


class TerseSchema(GenerateJsonSchema):
    """Writes what an agent must know: no titles, no lengths, no null for what may be left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401  # As pydantic has it.
        """Say that no field has a title."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Describe the value alone."""
        return self.generate_inner(schema["schema"])

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """Leave out how long a text may be: few reach that, and are told so."""
        return {"type": "string"}

    def list_schema(self, schema: core_schema.ListSchema) -> JsonSchemaValue:
        """Leave out how many there may be."""
        described = super().list_schema(schema)
        return {"type": "array", "items": described["items"]}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave out a default that is nothing."""
        described = super().default_schema(schema)
        if described.get("default") in (None, []):
            described.pop("default", None)
        return described


@dataclass(frozen=True)
class Tool:
    """A tool; run: may be called in any thread. answers: None for a text."""

    title: str
    run: Callable[[Desk, Any], Any]
    asks: type[BaseModel]
    answers: type[BaseModel] | None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.run.__name__

    @cached_property
    def description(self) -> str:
        """What agents are told of it."""
        return " ".join((inspect.getdoc(self.run) or "").split())

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """What it takes."""
        schema = self.asks.model_json_schema(schema_generator=TerseSchema)
        left_out = ("title", "description")  # Of the class, which no agent has heard of.
        return {name: value for name, value in schema.items() if name not in left_out}

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """What it answers."""
        return self.answers.model_json_schema() if self.answers else None


TOOLS: Sequence[Tool] = (
    Tool("Recommend citations", recommend_citations, Recommend, models.AnswerModel),
    Tool("Cite a sentence", cite_sentence, Cite, models.LocalAnswerModel),
    Tool("Check references", check_references, Check, CheckedPage),
    Tool("Search papers", search_papers, Search, models.SearchModel),
    Tool("Show a paper", get_paper, One, models.PaperModel),
    Tool("Follow citations", follow_citations, Follow, models.SearchModel),
    Tool("Export a bibliography", export_bibliography, Export, None),
    Tool("Describe the corpus", corpus_info, Nothing, models.IndexModel),
)
"""In the order in which they are listed."""
