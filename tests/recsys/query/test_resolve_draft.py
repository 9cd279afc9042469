"""A draft in the terms of the corpus: itself, works that prose names, keyphrases."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.formats.drafts.wording import OTHERS
from recsys.query.matching import match
from recsys.query.query import make_query
from recsys.query.resolve_draft import resolve_draft
from recsys.records import Draft, Manuscript, Paper, Reference
from tests.rows import each_row
from tests.tiny import collect, unit

if TYPE_CHECKING:
    from recsys.store.collection import Collection

# A draft that is a paper of the corpus is found, left out and named; nothing else changes.

TITLE = "Nests of beetles in old forests"
PAPERS = (
    Paper("10.1000/nests", TITLE, year=2010, authors=("Ada Ash", "Bo Birch")),
    Paper("books:1", "Beetles that nest in forests", year=2011, authors=("Ada Ash",)),
    Paper("other", TITLE, year=2003, authors=("Cy Cedar",)),
    Paper("preprint", "Nests of Beetles in old forests.", year=2009, authors=("A. Ash",)),
)


@pytest.fixture(scope="module")
def collection() -> "Collection":
    return collect(PAPERS, unit(np.eye(4, dtype=np.float32)))


@each_row(
    ("draft", "found"),
    [
        (Manuscript(title=TITLE, authors=("Ash, Ada",)), ("10.1000/nests", "preprint")),
        (Manuscript(title=TITLE, authors=("Cy Cedar",)), ("other",)),
        (Manuscript(title=TITLE, authors=("Dee Date",)), ()),
        (Manuscript(title=TITLE), ()),
        (Manuscript(title="Nests", doi="10.1000/nests"), ("10.1000/nests",)),
        (Manuscript(title="Beetles", authors=("Ada Ash",)), ()),
        (Manuscript(title="Of bees", authors=("Ada Ash",)), ()),
    ],
)
def test_a_draft_is_known_by_doi_or_by_title_and_author(
    collection: "Collection", draft: Manuscript, found: tuple[str, ...]
) -> None:
    question = resolve_draft(collection, draft)
    assert question.draft.itself == found
    assert question.draft.as_of is None
    named = f"The corpus holds the draft itself ({', '.join(found)}): it is left out."
    assert (named in question.notes) == bool(found)


def test_the_id_of_a_paper_goes_before_all_that_resembles_it(collection: "Collection") -> None:
    draft = Manuscript(title=TITLE, authors=("Ada Ash",), paper_id="other")
    question = resolve_draft(collection, draft)
    assert question.draft.itself == ()
    assert question.notes == ("The corpus holds the draft itself (other): it is left out.",)


def test_what_the_draft_is_becomes_invisible_and_the_moment_stays(collection: "Collection") -> None:
    draft = resolve_draft(collection, Manuscript(title=TITLE, authors=("Ada Ash",))).draft
    vector = unit(np.ones(4, np.float32))
    query = make_query(collection, draft, vector)
    without = make_query(collection, replace(draft, itself=()), vector)
    assert query.before == without.before
    assert query.allowed.tolist() == [False, True, True, False]
    assert not (query.wanted & ~query.allowed).any()


# Works that prose names: the one paper of these authors and this year, or none.

NAMED = (
    Paper("a", "On nests", year=2010, authors=("Ada Ash", "Bo Birch")),
    Paper("b", "On wings", year=2010, authors=("Ada Ash", "Bo Birch", "Cy Cedar")),
    Paper("c", "On honey", year=2011, authors=("Dee van der Date",)),
    Paper("d", "On gravel", year=2012, authors=("Eva Elm",)),
    Paper("e", "On engines", year=2012, authors=("Ernst Elm",)),
)


@each_row(
    ("authors", "year", "meant"),
    [
        (("Ash", "Birch"), 2010, "a"),
        (("Ash", "Birch", "Cedar"), 2010, "b"),
        (("Date",), 2011, "c"),
        (("Ash", OTHERS), 2010, None),
        (("Elm",), 2012, None),
        (("Ash",), 2010, None),
        (("Birch", "Ash"), 2010, None),
        (("Ash", "Birch"), 2009, None),
    ],
)
def test_surnames_and_a_year_mean_the_only_paper_that_fits(
    authors: tuple[str, ...], year: int, meant: str | None
) -> None:
    collection = collect(NAMED, unit(np.eye(5, dtype=np.float32)))
    [found] = match(collection, [Reference(key="x", authors=authors, year=year)])
    assert (None if found.row is None else collection.corpus.ids[found.row]) == meant


def test_what_could_be_several_papers_is_counted() -> None:
    collection = collect(NAMED, unit(np.eye(5, dtype=np.float32)))
    works = (
        Reference(key="Elm (2012)", authors=("Elm",), year=2012),
        Reference(key="Fir (2012)", authors=("Fir",), year=2012),
        Reference(key="Ash and Birch (2010)", authors=("Ash", "Birch"), year=2010),
    )
    question = resolve_draft(collection, Manuscript(title="Of forests", references=works))
    assert question.draft.references == ("a",)
    assert "3 references: 1 matched, 2 not in the corpus" in question.understood
    assert "1 work named by surname and year could be several papers." in question.notes


# Keywords of a draft are read where those of the papers are, and change nothing elsewhere.

BELLS = (Paper("a", "Bells", "ropes, towers. We ring."), Paper("b", "Boats"))
DRAFT = Manuscript(title="On bells", abstract="We ring.", keyphrases=("Ropes", "towers."))


@pytest.fixture(scope="module")
def bells() -> "Collection":
    return collect(BELLS, unit(np.eye(2, dtype=np.float32)))


def test_a_draft_begins_with_its_keyphrases_as_the_papers_do(bells: "Collection") -> None:
    question = resolve_draft(replace(bells, keyphrases=True), DRAFT)
    assert question.draft.abstract == "Ropes, towers. We ring."
    assert "abstract (2 words), 2 keyphrases" in question.understood
    again = resolve_draft(replace(bells, keyphrases=True), question.draft)
    assert again.draft.abstract == question.draft.abstract


def test_where_papers_do_not_neither_does_a_draft(bells: "Collection") -> None:
    question = resolve_draft(bells, DRAFT)
    assert question.draft == resolve_draft(bells, replace(DRAFT, keyphrases=())).draft
    assert question.draft.abstract == "We ring." and "keyphrase" not in question.understood


def test_a_draft_in_the_terms_of_the_corpus_may_have_some(bells: "Collection") -> None:
    asked = Draft("On bells", "We ring.", keyphrases=("ropes",))
    assert resolve_draft(replace(bells, keyphrases=True), asked).draft.abstract == "ropes. We ring."


def test_keywords_alone_are_a_text(bells: "Collection") -> None:
    asked = Manuscript(title="On bells", keyphrases=("ropes",))
    question = resolve_draft(replace(bells, keyphrases=True), asked)
    assert question.draft.abstract == "ropes."
    assert "no abstract, 1 keyphrase" in question.understood
