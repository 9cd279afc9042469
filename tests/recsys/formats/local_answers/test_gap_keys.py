"""Keys: the draft's own stay, new ones collide with none, and are those of --format bibtex."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.local_answers.shown_gaps import entries_of, keys_of
from recsys.formats.references.reference_writers import bibtex
from recsys.records import Gap, LocalAnswer, Paper, Reference, Sentence
from tests.recsys.formats.local_answers.made_answers import (
    SPECTER,
    all_papers,
    recommended,
    small_answer,
)
from tests.rows import each_row


def keys_in(text: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)


def answer_with(*papers: Paper, references: tuple[Reference, ...] = ()) -> LocalAnswer:
    items = tuple(recommended(paper, rank) for rank, paper in enumerate(papers, 1))
    return LocalAnswer((Gap(Sentence("A."), 1, None, None, items),), references=references)


def test_new_keys_are_those_of_bibtex() -> None:
    keys = keys_of(small_answer())
    assert [keys.names[paper.id] for paper in all_papers()] == keys_in(bibtex(all_papers()))
    entries = "".join(f"{keys.entry_of(paper)}\n" for paper in all_papers())[:-1]
    # Somebody's own bibliography is not filled with abstracts.
    assert entries == bibtex([replace(paper, abstract=None) for paper in all_papers()])


def test_new_keys_follow_those_of_the_bibliography_at_hand() -> None:
    library = [
        Reference(key=f"lee{year}", title="Trees", authors=("Ann Lee",), year=year)
        for year in (2001, 2002, 2003)
    ]
    keys = keys_of(small_answer(), library)
    assert keys.pattern == "[auth:lower][year]"
    assert keys.names[all_papers()[0].id] == "cohan2020"
    assert keys_of(small_answer(), library, "[auth]").names[all_papers()[0].id] == "Cohan"


@each_row(
    "reference",
    [
        Reference("k", doi="10.18653/v1/2020.acl-main.207"),
        Reference("k", acl="2020.acl-main.207"),
        Reference("k", title="{SPECTER}: Document-Level representation learning", year=2019),
        Reference(
            "k", title="Specter - document level representation learning", authors=("Cohan, A.",)
        ),
    ],
)
def test_a_paper_of_the_draft_is_known_again(reference: Reference) -> None:
    keys = keys_of(answer_with(SPECTER, references=(reference,)))
    assert keys.names == {"specter": "k"}
    assert keys.entry_of(SPECTER) is None


@each_row(
    "reference",
    [
        Reference("k", title="SPECTER: Document-level Representation Learning", year=2010),
        Reference(
            "k", title="SPECTER: Document-level Representation Learning", authors=("B. Fir",)
        ),
        Reference("k", title="SPECTER"),
        Reference("", doi="10.18653/v1/2020.acl-main.207"),
        Reference("a b", doi="10.18653/v1/2020.acl-main.207"),
    ],
)
def test_another_work_is_not_taken_for_it(reference: Reference) -> None:
    keys = keys_of(answer_with(SPECTER, references=(reference,)))
    assert keys.had == frozenset() and keys.names["specter"].startswith("Cohan")


def test_two_versions_of_a_work_have_one_key_and_one_entry() -> None:
    preprint = Paper("arxiv:1", "SPECTER: Learning", year=2019, authors=("Arman Cohan",))
    items = (
        replace(recommended(SPECTER), versions=(preprint,)),
        replace(recommended(preprint), versions=(SPECTER,)),
    )
    gaps = tuple(Gap(Sentence("A."), 1, None, None, (item,)) for item in items)
    keys = keys_of(LocalAnswer(gaps))
    assert keys.names == {"specter": "Cohan2020Specter", "arxiv:1": "Cohan2020Specter"}
    assert keys_in(entries_of(LocalAnswer(gaps), keys)) == ["Cohan2020Specter"]
    known = LocalAnswer(gaps, references=(Reference("c20", doi=SPECTER.doi),))
    assert set(keys_of(known).names.values()) == {"c20"}
    assert keys_of(known).had == {"specter", "arxiv:1"}


@given(
    st.lists(
        st.builds(
            Paper,
            id=st.text(max_size=5),
            title=st.text(max_size=30),
            year=st.none() | st.integers(1, 3000),
            authors=st.lists(st.text(max_size=9), max_size=2).map(tuple),
        ),
        max_size=6,
        unique_by=lambda paper: paper.id,
    ),
    st.lists(st.builds(Reference, key=st.text(max_size=9), title=st.none() | st.text(max_size=9))),
)
def test_keys_never_collide(papers: list[Paper], references: list[Reference]) -> None:
    answer = answer_with(*papers, references=tuple(references))
    keys = keys_of(answer)
    new = [key for paper_id, key in keys.names.items() if paper_id not in keys.had]
    assert set(keys.names) == {paper.id for paper in papers}
    assert len({key.casefold() for key in new}) == len(new)
    assert {key.casefold() for key in new}.isdisjoint(each.key.casefold() for each in references)
