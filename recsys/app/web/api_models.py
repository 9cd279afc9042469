"""The objects that programs send and get, as pydantic checks them and OpenAPI describes them."""

import re
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)

from recsys.app.web.replies import RequestError
from recsys.checking.fields import Comparison
from recsys.checking.verdicts import Remark
from recsys.errors import near_miss
from recsys.formats.bodies.running_text import LONGEST_PASSAGE
from recsys.formats.files import TooManyValues, checked_json
from recsys.query.question_schema import EARLIEST, LATEST, QuestionOption, QuestionOptions, options
from recsys.records import Reason

Model = TypeVar("Model", bound=BaseModel)

MOST_REFERENCES, MOST_NAMED = 5_000, 50_000
"""Items of one list: works that may have to be found by their titles, and others."""
MOST_VALUES = 500_000
"""Of a body: all its lists, as long as they may be, have fewer."""
MOST_PER_PAGE = 100
"""Papers of one page of an answer."""


WHOLE = BeforeValidator(
    lambda value: int(value) if isinstance(value, float) and value.is_integer() else value
)
"""Stands beside every whole number, and takes 2019.0 for 2019: some languages write all so."""
Year = Annotated[int, Field(ge=EARLIEST, le=LATEST), WHOLE]
Text = Annotated[str, Field(max_length=200_000)]
Name = Annotated[str, Field(min_length=1, max_length=2_000)]
Names = Annotated[list[Name], Field(max_length=1_000)]
Named = Annotated[list[Name], Field(max_length=MOST_NAMED)]


class AskedBody(BaseModel):
    """Refuses names that it does not know: a misspelt filter would be no filter.

    What stands below a field describes it in OpenAPI.
    """

    model_config = ConfigDict(extra="forbid", strict=True, use_attribute_docstrings=True)


class DescribedBody(AskedBody):
    """Takes null and an empty text for what is not known, as the file of a draft may have them."""

    @model_validator(mode="before")
    @classmethod
    def known(cls, sent: object) -> object:
        """Leave out what is not known."""
        if not isinstance(sent, dict):
            return sent
        return {name: value for name, value in sent.items() if value not in (None, "")}


class ReferenceBody(DescribedBody):
    """A work as a bibliography describes it; it is looked up in the index."""

    id: Name | None = None
    title: Name | None = None
    authors: Names = []
    venue: Name | None = None
    year: Year | None = None
    abstract: Text | None = None
    doi: Name | None = None
    arxiv: Name | None = None
    acl: Name | None = None
    url: Name | None = None


Works = Annotated[list[Name | ReferenceBody], Field(max_length=MOST_REFERENCES)]


class DraftBody(DescribedBody):
    """What has been written so far; the same object as in a file `draft.json`."""

    id: Name | None = None
    """The paper of the index that the draft is."""
    title: Text | None = None
    abstract: Text | None = None
    authors: Names = []
    venue: Name | None = None
    year: Year | None = None
    as_of: Year | None = None
    doi: Name | None = None
    """Its own, or its arXiv or ACL id."""
    references: Works = []
    """Ids, DOIs, arXiv ids, or described works."""
    keyphrases: Names = []
    """Read by indexes whose papers have theirs in the abstract."""
    keywords: Names = []
    """The same by another name."""


class CheckBody(AskedBody):
    """A bibliography whose references are checked: its text, or a list of works."""

    SHAPE: ClassVar[str] = (
        'Send {"text": "@article{...}"}, or {"references": [{"title": "...", "year": 2020}]}.'
    )

    index: Annotated[str | None, Field(max_length=200)] = None
    """None: the first."""
    text: Annotated[str, Field(max_length=2_000_000)] = ""
    """A bibliography: BibTeX, RIS, CSL-JSON ..., recognised by its content."""
    references: Works = []
    """Ids, DOIs, arXiv ids, or described works, after those of the text."""


class QuestionBody(AskedBody):
    """A question, but for its options; or a draft alone, which is then asked with the usual ones.

    SHAPE: what an error says of it.
    """

    SHAPE: ClassVar[str] = (
        'Send a draft, {"title": "...", "abstract": "...", "references": ["..."]}, or a question, '
        '{"draft": {"title": "..."}, "k": 20, "filters": {"min_year": 2015}}; /openapi.json '
        "describes both."
    )

    index: Annotated[str | None, Field(max_length=200)] = None
    """None: the first."""
    draft: DraftBody | None = None
    next: Annotated[str, Field(max_length=200)] = ""
    """`next` of the page before."""

    @model_validator(mode="before")
    @classmethod
    def wrapped(cls, sent: object) -> object:
        """Take a draft alone for a question about it."""
        if not isinstance(sent, dict) or "draft" in sent:
            return sent
        of_drafts = DraftBody.model_fields.keys() - cls.model_fields.keys()
        is_draft = not of_drafts.isdisjoint(sent) and sent.keys().isdisjoint(
            cls.model_fields.keys() - DraftBody.model_fields.keys()
        )
        return {"draft": sent} if is_draft else sent

    def options(self) -> QuestionOptions:
        """Return the options, as the library takes them."""
        sent = self.model_dump()
        return QuestionOptions.of(sent | sent["filters"])


def _asked_for(option: QuestionOption) -> tuple[Any, Any]:
    """Say what pydantic takes for an option of a question: a type, and a default."""
    spec = option.spec
    names = {each.spec.flag: f"`{each.name}`" for each in options()}
    about = spec.help.format(papers="ids or DOIs")
    about = re.sub(r"--[a-z-]+", lambda flag: names.get(flag[0], flag[0]), about)
    described = Field(description=about)
    if option.several:
        words = Named if spec.metavar == "PAPERS" else Names
        return Annotated[words, described], []
    if spec.metavar == "YEAR":
        return Annotated[Year | None, described], option.default
    bounds = Field(ge=spec.least, le=MOST_PER_PAGE if option.name == "k" else spec.most)
    kinds: dict[Any, Any] = {
        bool: bool,
        str: Name,
        int: Annotated[int, bounds, WHOLE],
        float: Annotated[float, bounds, Field(strict=False)],  # A whole number will do.
    }
    kind = kinds[option.type]
    return Annotated[kind | None if option.default is None else kind, described], option.default


_FILTERS: dict[str, Any] = {each.name: _asked_for(each) for each in options() if each.is_filter}
FiltersBody = create_model(
    "FiltersBody", __base__=AskedBody, __doc__="What a recommended paper must fulfil.", **_FILTERS
)
_OTHERS: dict[str, Any] = {each.name: _asked_for(each) for each in options() if not each.is_filter}
RecommendationsBody = create_model(
    "RecommendationsBody",
    __base__=QuestionBody,
    __doc__="A question.",
    filters=(FiltersBody, FiltersBody()),
    **_OTHERS,
)


class WhereModel(BaseModel):
    """The sentence of a draft in which a paper fits best; lines count what `unit` says."""

    file: str | None
    unit: str
    line: int | None
    column: int | None
    section: str
    sentence: str
    score: float


class VersionModel(BaseModel):
    """Another version of a recommended work, such as its preprint."""

    id: str
    title: str
    year: int | None
    venue: str | None
    doi: str | None
    url: str | None


class RecommendationModel(VersionModel):
    """One recommended paper; `versions` is there if the index has other ones of the work."""

    rank: int
    authors: list[str]
    probability: float
    score: float
    sources: list[str]
    reasons: list[Reason]
    versions: list[VersionModel] = []


class PlacedModel(RecommendationModel):
    """One recommended paper; `where` is there if it was asked for, null where it fits nowhere."""

    where: WhereModel | None = None


class AnswerModel(BaseModel):
    """An answer; `next` asks for the papers after these, null where there are none."""

    schema_: Annotated[Literal["recsys.answer/1"], Field(alias="schema")]
    index: str
    understood: str
    notes: list[str]
    missing: list[str]
    stages: dict[str, int]
    recommendations: list[PlacedModel]
    next: str | None


class PaperModel(VersionModel):
    """A paper; `cites` and `cited_by` are ids within the index, null in lists of papers.

    `abstract_note` says who wrote the abstract, if not the authors.
    """

    abstract: str | None
    abstract_note: str | None
    authors: list[str]
    cites: list[str] | None
    cited_by: list[str] | None


class PapersModel(BaseModel):
    """Some papers, in the order in which they were asked for."""

    papers: list[PaperModel]
    missing: list[str]


class SearchModel(BaseModel):
    """Papers that match words, the best first."""

    papers: list[PaperModel]
    next: str | None


class WorkModel(BaseModel):
    """A work as a reference or a record describes it."""

    key: str | None = None
    title: str | None = None
    authors: list[str]
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    url: str | None = None


class RecordModel(WorkModel):
    """A record of a source, and the probability that it is the work that is meant."""

    source: str
    id: str
    probability: float


class CheckedModel(BaseModel):
    """A reference and what was found out about it.

    `absent` is the probability that there is no such work, where it was not found.
    """

    schema_: Annotated[str, Field(alias="schema")]
    reference: WorkModel
    verdict: str
    why: str
    record: RecordModel | None
    published: RecordModel | None
    comparisons: list[Comparison]
    absent: float | None
    remarks: list[Remark]


class CheckModel(BaseModel):
    """All references of a bibliography, checked, in their order."""

    schema_: Annotated[str, Field(alias="schema")]
    index: str
    summary: str
    counts: dict[str, int]
    asked: list[str]
    notes: list[str]
    unlisted: list[str]
    references: list[CheckedModel]
    suggested: list[dict[str, Any]]


class IndexModel(BaseModel):
    """One index that is served.

    `fingerprint` changes with its content, `trouble` is why its newest state is not served, and
    `remarks` are what is amiss with its rankers, though it answers.
    """

    name: str
    papers: int
    citations: int
    from_year: int | None
    to_year: int | None
    fingerprint: str
    trouble: str | None
    remarks: list[str]


class IndexesModel(BaseModel):
    """The indexes that are served, the default one first."""

    indexes: list[IndexModel]


class HealthModel(BaseModel):
    """Whether questions are answered."""

    status: Literal["ok", "degraded"]


class ProblemModel(BaseModel):
    """Why there is no answer: RFC 9457, with what to do next and the kind of the error."""

    type: str
    title: str
    status: int
    detail: str
    hint: str
    kind: str


def parsed(raw: bytes | str, model: type[Model]) -> Model:
    """Check a question of a shape.

    Raises:
        RequestError: it is no JSON, or of another shape; it says where.
    """
    try:
        return model.model_validate_json(checked_json(raw, MOST_VALUES))
    except TooManyValues as error:
        what = f"The body has {error}."
        raise RequestError(413, what, "Name fewer papers, or send a file.") from error
    except ValidationError as error:
        shape = getattr(model, "SHAPE", "See /openapi.json for the shape of the body.")
        raise RequestError(422, "\n".join(_wrong_fields(error, model)), shape) from error
    except UnicodeError as error:
        raise RequestError(400, "The body is not UTF-8.", "Send JSON in UTF-8.") from error


def _wrong_fields(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Say of each field that is wrong why, on one line; of many, only of the first ones.

    What may be a name or an object has an error as either: that of the object counts, if it is one.
    """
    names, of_drafts = {*model.model_fields}, {*DraftBody.model_fields}
    if "references" in names or "draft" in names:
        names |= {*_FILTERS, *of_drafts, *ReferenceBody.model_fields}
    lines: dict[str, str] = {}
    for each in error.errors(include_url=False, include_context=False):
        place = [str(part) for part in each["loc"]]
        if "constrained-str" in place:
            if isinstance(each["input"], dict):
                continue
            why = "give an id, a DOI, or an object with a title."
        elif each["type"] == "model_type" and "ReferenceBody" in place:
            continue
        elif each["type"] == "extra_forbidden" and place[0] in of_drafts and "draft" in names:
            why = 'beside other options, what a draft has stands inside of "draft".'
        elif each["type"] == "extra_forbidden":
            why = f"there is no such field.{near_miss(place[-1], names)}"
        else:
            why = f"{each['msg']}."
        field = ".".join(part for part in place if part not in ("constrained-str", "ReferenceBody"))
        lines.setdefault(field, f"{field or 'The body'}: {why}")
    shown = list(lines.values())
    if len(shown) > _MOST_WRONG:
        shown[_MOST_WRONG:] = [f"{len(shown) - _MOST_WRONG:,} more fields are wrong."]
    return shown


_MOST_WRONG = 5
"""Wrong fields that an error names."""


# The objects of questions about places: what a program sends and gets.

_EXAMPLES: list[dict[str, Any]] = [
    {
        "text": "Papers near each other in a citation graph get similar vectors |, unlike words.",
        "title": "Recommending citations with neural document embeddings",
    },
    {
        "text": "Transformers are trained on unlabelled text first.",
        "offset": 49,
        "references": ["10.18653/v1/N19-1423", {"title": "Attention is all you need"}],
        "as_of": 2020,
        "k": 5,
    },
]


class CitationsBody(AskedBody):
    """A question about a place: a passage, or what goes with the file of a draft."""

    model_config = ConfigDict(json_schema_extra={"examples": [*_EXAMPLES]})

    index: Annotated[str | None, Field(max_length=200)] = None
    """None: the first."""
    text: Annotated[str | None, Field(max_length=LONGEST_PASSAGE)] = None
    """A passage; | marks the place in it."""
    offset: Annotated[int | None, Field(ge=0, le=LONGEST_PASSAGE), WHOLE] = None
    """Characters before the place, instead of |."""
    title: Text | None = None
    """Of the draft."""
    abstract: Text | None = None
    """Of the draft."""
    references: Works = []
    """What the draft cites already."""
    as_of: Year | None = None
    """Nothing newer is recommended or counted."""
    k: Annotated[int, Field(ge=1, le=100), WHOLE] = 3
    """Papers for each place."""
    line: Annotated[int | None, Field(ge=1, le=10**9), WHOLE] = None
    """Of a file: the one sentence that is asked about; without it, all that lack a citation."""
    most: Annotated[int, Field(ge=0, le=100), WHOLE] = 10
    """Of a file: sentences without a mark at most."""


class CitedPaperModel(RecommendationModel):
    """One paper for a place; `bibtex` is null where the draft has the paper under `key` already."""

    key: str
    bibtex: str | None


class GapModel(BaseModel):
    """A place that lacks a citation: `at` characters of the sentence stand before it.

    Lines count what `unit` of the answer says. `need` is the chance that the sentence needs a
    citation, null where its author marked the place.
    """

    kind: Literal["missing-citation", "needs-citation"]
    file: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    section: str
    sentence: str
    at: int
    mark: str | None
    cited: list[str]
    need: float | None
    confident: bool
    """Whether the best paper is worth a look."""
    recommendations: list[CitedPaperModel]


class LocalAnswerModel(BaseModel):
    """What fits where; `draft` is the name of the file, null for a passage."""

    schema_: Annotated[Literal["recsys.local-answer/1"], Field(alias="schema")]
    index: str
    draft: str | None
    understood: str
    counts: dict[str, int]
    unit: str
    notes: list[str]
    missing: list[str]
    gaps: list[GapModel]
