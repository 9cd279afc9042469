"""Keywords of a draft are read where those of the papers are, and change nothing elsewhere."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recsys.query.question import pose
from recsys.records import Draft, Manuscript, Paper
from tests.tiny import collect, unit

if TYPE_CHECKING:
    from recsys.store.collection import Collection

PAPERS = (Paper("a", "Bells", "ropes, towers. We ring."), Paper("b", "Boats"))
DRAFT = Manuscript(title="On bells", abstract="We ring.", keyphrases=("Ropes", "towers."))


@pytest.fixture(scope="module")
def collection() -> "Collection":
    return collect(PAPERS, unit(np.eye(2, dtype=np.float32)))


def test_a_draft_begins_with_its_keyphrases_as_the_papers_do(collection: "Collection") -> None:
    question = pose(replace(collection, keyphrases=True), DRAFT)
    assert question.draft.abstract == "Ropes, towers. We ring."
    assert "abstract (2 words), 2 keyphrases" in question.understood
    again = pose(replace(collection, keyphrases=True), question.draft)
    assert again.draft.abstract == question.draft.abstract


def test_where_papers_do_not_neither_does_a_draft(collection: "Collection") -> None:
    question = pose(collection, DRAFT)
    assert question.draft == pose(collection, replace(DRAFT, keyphrases=())).draft
    assert question.draft.abstract == "We ring." and "keyphrase" not in question.understood


def test_a_draft_in_the_terms_of_the_corpus_may_have_some(collection: "Collection") -> None:
    asked = Draft("On bells", "We ring.", keyphrases=("ropes",))
    assert pose(replace(collection, keyphrases=True), asked).draft.abstract == "ropes. We ring."


def test_keywords_alone_are_a_text(collection: "Collection") -> None:
    asked = Manuscript(title="On bells", keyphrases=("ropes",))
    question = pose(replace(collection, keyphrases=True), asked)
    assert question.draft.abstract == "ropes."
    assert "no abstract, 1 keyphrase" in question.understood
