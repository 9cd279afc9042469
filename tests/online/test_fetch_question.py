import json

from hypothesis import given, settings
from hypothesis import strategies as st

from recsys.pipelines.online.fetch_plan import (
    MOST_SEARCHES,
    FetchQuestion,
    asked_of_draft,
    cited_at,
    key_at,
    names_at,
    searches,
)
from recsys.records import Manuscript, Reference
from tests.made_references import references, words


@settings(max_examples=20)
@given(
    question=st.builds(
        FetchQuestion,
        title=words,
        abstract=st.none() | words,
        references=st.lists(references, max_size=3).map(tuple),
        since=st.none() | st.integers(1900, 2030),
        as_of=st.none() | st.integers(1900, 2030),
        papers=st.integers(1, 9000),
        sources=st.just(("openalex", "arxiv")),
        library=st.sampled_from(["", "groups/3"]),
        query=st.booleans(),
    )
)
def test_a_question_comes_back_from_json_as_it_was(question: FetchQuestion) -> None:
    again = FetchQuestion.from_record(json.loads(json.dumps(question.record())))
    assert again.record() == question.record()
    assert again.fingerprint == question.fingerprint
    assert searches(again) == searches(question)


def test_a_draft_is_asked_about_by_what_finds_its_references() -> None:
    draft = Manuscript(
        title="A  draft",
        references=(
            Reference(
                key="a",
                title="T",
                authors=("A", "B"),
                url="https://doi.org/10.1000/X",
                abstract="x",
            ),
            Reference(id="10.1000/y"),
        ),
        as_of=2020,
    )
    asked = asked_of_draft(draft, ("openalex",), 10)
    assert asked.title == "A draft"
    assert asked.as_of == 2020
    assert asked.references == (
        Reference(title="T", authors=("A",), doi="10.1000/x"),
        Reference(doi="10.1000/y"),
    )


def test_searches_are_the_title_and_quoted_phrases_none_part_of_another() -> None:
    question = FetchQuestion(
        "Readable graph drawing with edge bundling",
        "Graph drawing lays out nodes. Edge bundling groups edges. Readers compare views.",
    )
    first, *others = searches(question)
    assert first == question.title
    assert '"edge bundling"' in others and '"graph drawing"' in " ".join(others).replace(
        "readable ", ""
    )
    assert 1 < len(others) < MOST_SEARCHES
    assert all(each[0] == each[-1] == '"' for each in others)
    assert searches(FetchQuestion("")) == ()


def test_works_are_named_and_linked_by_the_schemes_of_the_source() -> None:
    work = Reference(
        id="W1",
        ids=("openalex:W1", "mag:3"),
        doi="10.1/x",
        pmid="7",
        cited_ids=("W2", "W2"),
        cites=(Reference(doi="10.1/z"), Reference(title="no name")),
    )
    assert names_at(work, ("openalex", "doi")) == ("openalex:W1", "doi:10.1/x")
    assert key_at(work, ("pmid", "doi")) == "pmid:7"
    assert key_at(work, ("arxiv",)) is None
    assert cited_at(work, ("openalex", "doi")) == ("openalex:W2", "doi:10.1/z")
