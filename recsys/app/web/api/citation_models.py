"""The objects of questions about places: what a program sends and gets."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from recsys.app.web.api.api_models import (
    MOST_REFERENCES,
    WHOLE,
    AskedBody,
    Name,
    RecommendationModel,
    ReferenceBody,
    Text,
    Year,
)
from recsys.app.web.put_passage import MOST_UNMARKED
from recsys.formats.bodies.places import LONGEST_PASSAGE

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
_LINE = "Of a file: the one sentence that is asked about; without it, all that lack a citation."


class CitationsBody(AskedBody):
    """A question about a place: a passage, or what goes with the file of a draft."""

    model_config = ConfigDict(json_schema_extra={"examples": [*_EXAMPLES]})

    index: Annotated[str | None, Field(max_length=200, description="None: the first.")] = None
    text: Annotated[
        str | None,
        Field(max_length=LONGEST_PASSAGE, description="A passage; | marks the place in it."),
    ] = None
    offset: Annotated[
        int | None,
        Field(ge=0, le=LONGEST_PASSAGE, description="Characters before the place, instead of |."),
        WHOLE,
    ] = None
    title: Annotated[Text | None, Field(description="Of the draft.")] = None
    abstract: Annotated[Text | None, Field(description="Of the draft.")] = None
    references: Annotated[
        list[Name | ReferenceBody],
        Field(
            default_factory=list,
            max_length=MOST_REFERENCES,
            description="What the draft cites already.",
        ),
    ]
    as_of: Annotated[Year | None, Field(description="Nothing newer is recommended or counted.")] = (
        None
    )
    k: Annotated[int, Field(ge=1, le=100, description="Papers for each place."), WHOLE] = 3
    line: Annotated[int | None, Field(ge=1, le=10**9, description=_LINE), WHOLE] = None
    most: Annotated[
        int, Field(ge=0, le=100, description="Of a file: sentences without a mark at most."), WHOLE
    ] = MOST_UNMARKED


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
