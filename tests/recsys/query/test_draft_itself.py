"""A draft that is a paper of the corpus: it is found, left out and named; nothing else changes."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.query.question import pose
from recsys.records import Manuscript, Paper
from tests.rows import each_row
from tests.tiny import collect, unit

if TYPE_CHECKING:
    from recsys.store.collection import Collection

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
    question = pose(collection, draft)
    assert question.draft.itself == found
    assert question.draft.as_of is None
    named = f"The corpus holds the draft itself ({', '.join(found)}): it is left out."
    assert (named in question.notes) == bool(found)


def test_the_id_of_a_paper_goes_before_all_that_resembles_it(collection: "Collection") -> None:
    draft = Manuscript(title=TITLE, authors=("Ada Ash",), paper_id="other")
    question = pose(collection, draft)
    assert question.draft.itself == ()
    assert question.notes == ("The corpus holds the draft itself (other): it is left out.",)


def test_what_the_draft_is_becomes_invisible_and_the_moment_stays(collection: "Collection") -> None:
    from recsys.query.query import make_query

    draft = pose(collection, Manuscript(title=TITLE, authors=("Ada Ash",))).draft
    vector = unit(np.ones(4, np.float32))
    query = make_query(collection, draft, vector)
    without = make_query(collection, replace(draft, itself=()), vector)
    assert query.before == without.before
    assert query.allowed.tolist() == [False, True, True, False]
    assert not (query.wanted & ~query.allowed).any()
