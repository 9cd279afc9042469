"""An index is asked once, until what an answer depends on changes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest

from recsys.app.editors.desk import Desk, Remembered
from recsys.app.editors.open_drafts import EditedDraft, read_draft
from recsys.checking.check import Holdings, Source, index_source
from recsys.local.local_recommender import LocalRecommender
from recsys.local.passage import Passage
from recsys.records import Draft, Recommendation, Reference, Sentence
from recsys.store.arrays import Floats
from tests.local_worlds import random_local_world, recommender_of

COLLECTION = random_local_world(3).collection
PAPERS = COLLECTION.corpus.papers([0, 1, 2])


def draft_of(*paragraphs: str, unknown: bool = False) -> EditedDraft:
    works = "".join(f"@misc{{k{n}, title={{{each.title}}}}}\n" for n, each in enumerate(PAPERS))
    works += "@misc{alone, title={Moss on vectors}}\n"
    text = "---\ntitle: On graphs\nbibliography: refs.bib\n---\n" + "\n\n".join(paragraphs)
    paper, refs = Path("/nowhere/a.md"), Path("/nowhere/refs.bib")
    return read_draft(paper, {paper: text, refs: works})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that the index was asked about."""
    texts, recommend = list[str](), LocalRecommender.recommend

    def counted(
        self: LocalRecommender, draft: Draft, passages: Sequence[Passage], k: int
    ) -> list[tuple[Recommendation, ...]]:
        texts.extend(passage.text for passage in passages)
        return recommend(self, draft, passages, k)

    monkeypatch.setattr(LocalRecommender, "recommend", counted)
    return texts


@pytest.fixture
def desk() -> Desk:
    return Desk(recommender_of(COLLECTION), index_source(COLLECTION, "small"))


def look(desk: Desk, draft: EditedDraft) -> None:
    for gap in desk.gaps(draft):
        desk.answered(draft, gap)


def test_only_changed_paragraphs_are_asked_again(desk: Desk, asked: list[str]) -> None:
    look(desk, draft_of("One fern [CITE].", "Two ferns [CITE].", "Plain words."))
    assert asked == ["One fern.", "Two ferns."]
    look(desk, draft_of("One fern [CITE].", "Three ferns [CITE].", "Other words here."))
    assert asked == ["One fern.", "Two ferns.", "Three ferns."]
    look(desk, draft_of("One fern [CITE].", "Two ferns [CITE].", "Now it cites [@k0]."))
    assert asked[3:] == ["One fern.", "Two ferns."]  # What the draft cites counts for all.


class Flags:
    """Finds that every sentence needs a citation."""

    least = 0.5

    def probabilities(self, sentences: Sequence[Sentence]) -> Floats:
        return np.full(len(sentences), 0.9, np.float32)


def test_sentences_are_flagged_if_there_is_a_judge() -> None:
    judged = replace(recommender_of(COLLECTION), needs=Flags())  # type: ignore[arg-type]  # Trained ones are large.
    desk = Desk(judged, index_source(COLLECTION, "small"))
    one, two = "Ferns were found in many old forests.", "Moss grows on every stone here."
    flagged = desk.gaps(draft_of(one, two))
    assert [(gap.sentence.text, gap.need) for gap in flagged] == [(one, ANY), (two, ANY)]


def test_entries_come_first_and_papers_that_are_none_follow(desk: Desk) -> None:
    draft = draft_of("A graph of clouds [@k1; @?].")
    [gap] = desk.gaps(draft)
    offered = desk.offered(draft, gap)
    assert {entry.key for entry in offered.entries} == {"k0", "k2", "alone"}
    held = {paper.id for paper in PAPERS}
    assert offered.papers and not held & {item.paper.id for item in offered.papers}
    ranks = [offered.chances[e.key].rank for e in offered.entries if e.key in offered.chances]
    assert ranks == sorted(ranks)
    assert offered.entries[-1].key == "alone"  # Its title is not encoded yet.
    desk.encode(draft.entries)
    vectors = desk.encoder.encode([("Moss on vectors", None)])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_a_cited_work_is_ranked_as_if_it_were_cited_nowhere(desk: Desk) -> None:
    draft = draft_of(f"As shown before for {PAPERS[0].title} [@k0; @k1].")
    [sentence] = draft.sentences
    gap = desk.reasons(draft, sentence, sentence.marks[0], "k0")
    found = [item.paper.id for item in gap.recommendations]
    assert PAPERS[0].id in found and PAPERS[1].id not in found
    entry = draft.entry("k0")
    assert entry is not None and desk.paper_of(entry) == PAPERS[0]
    assert desk.paper("nowhere") is None


def test_references_are_looked_up_once() -> None:
    looked_up = list[Reference]()

    def look(references: Sequence[Reference]) -> Iterable[Holdings]:
        looked_up.extend(references)
        return (Holdings() for _ in references)

    desk = Desk(recommender_of(COLLECTION), Source("none", "none", look))
    entries = draft_of("Words.").entries
    first = desk.check(entries[:2])
    assert desk.check(entries)[:2] == first and looked_up == [*entries]


def test_what_was_not_asked_for_lately_is_forgotten() -> None:
    found = list[list[int]]()

    def find(keys: list[int]) -> list[int]:
        found.append(keys)
        return [2 * key for key in keys]

    double = Remembered(find, 3)
    assert double([1, 2, 2, 3]) == [2, 4, 4, 6] and found == [[1, 2, 3]]
    assert double([1, 4]) == [2, 8] and found[1:] == [[4]]
    assert 1 in double and 4 in double and 2 not in double
    assert double([5, 6, 7, 8]) == [10, 12, 14, 16]  # More at once than are remembered.
