"""Queries of local recommendation: what becomes of contexts, and what a query must never tell."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.local.mentions import find_mentions
from recsys.local.named_works import NamedWorks
from recsys.pipelines.local.local_queries import (
    KNOWN,
    LocalQueries,
    LocalQuery,
    local_queries,
    lots,
    pose_query,
)
from recsys.records import Context
from recsys.store.arrays import Rows
from recsys.store.collection import Collection
from tests.rows import each_row


@pytest.fixture(scope="module")
def works(collection: Collection) -> NamedWorks:
    return NamedWorks(collection)


def rows(collection: Collection, *papers: str) -> Rows:
    return collection.corpus.rows(papers)


def asked(collection: Collection, citing: str, text: str, *gold: str) -> LocalQuery:
    return LocalQuery(int(rows(collection, citing)[0]), text, rows(collection, *gold))


def test_contexts_of_one_sentence_are_one_query(collection: Collection) -> None:
    contexts = [
        Context("rivers-05", "rivers-04", "Both did."),
        Context("rivers-05", "rivers-03", "Both did.", section="Methods"),
        Context("rivers-05", "rivers-03", "Both did."),
        Context("rivers-05", "rivers-03", "One did."),
        Context("deserts-05", "rivers-03", "Both did."),
    ]
    made = local_queries(collection, contexts)
    again = local_queries(collection, contexts[::-1])
    assert [(q.text, q.gold.tolist()) for q in again.queries] == [
        (q.text, q.gold.tolist()) for q in made.queries
    ]
    told = [(collection.corpus.ids[q.citing], q.text, q.gold.tolist()) for q in made.queries]
    both = rows(collection, "rivers-03", "rivers-04").tolist()
    assert told == [
        ("deserts-05", "Both did.", both[:1]),
        ("rivers-05", "Both did.", both),
        ("rivers-05", "One did.", both[:1]),
    ]
    assert made.lines() == ()
    assert all(query.gold.dtype == np.int32 for query in made.queries)


def test_what_cannot_be_asked_is_counted(collection: Collection) -> None:
    contexts = [
        Context("rivers-05", "rivers-04", "Fine."),
        Context("rivers-05", "glaciers-05", "Of the same year, and fine."),
        Context("rivers-05", "mars", "Unknown."),
        Context("mars", "rivers-05", "Unknown."),
        Context("rivers-05", "rivers-06", "It is newer."),
        Context("undated", "rivers-06", "Who knows when."),
        Context("rivers-06", "undated", "Who knows when."),
        Context("rivers-06", "rivers-06", "Itself."),
    ]
    made = local_queries(collection, contexts)
    assert (len(made.queries), made.unknown, made.untimely) == (2, 2, 4)
    assert made.lines() == (
        "Left out: 2 contexts of papers that the corpus does not hold.",
        "Left out: 4 contexts of papers that cite a newer one, or of unknown years.",
    )
    for none in ([], [Context("mars", "venus", "Who?")]):
        with pytest.raises(InputError, match=rf"\({len(none)} unknown") as error:
            local_queries(collection, none)
        assert "ids of this corpus" in error.value.hint


def test_years_are_those_of_the_citing_papers(collection: Collection, found: LocalQueries) -> None:
    kept = found.of_years(collection, 2005, 2006).queries
    assert {int(collection.corpus.years[each.citing]) for each in kept} == {2005, 2006}
    every = found.of_years(collection, 0, 9999).queries
    assert len(every) == len(found.queries) == 120
    assert found.of_years(collection, 2006, 2005).queries == ()


def test_a_draw_is_of_each_paper_alone(found: LocalQueries) -> None:
    drawn = found.at_most(1, seed=3).queries
    assert sorted(each.citing for each in drawn) == sorted({q.citing for q in found.queries})
    assert [q.text for q in found.at_most(1, seed=3).queries] == [q.text for q in drawn]
    assert [q.text for q in found.at_most(1, seed=4).queries] != [q.text for q in drawn]
    # Whoever else is asked changes no paper's lot.
    half = replace(found, queries=tuple(q for q in found.queries if q.citing % 2))
    of_half = [q.text for q in half.at_most(1, seed=3).queries]
    assert of_half == [q.text for q in drawn if q.citing % 2]
    assert len({q.text.split()[0] for q in drawn}) > 1
    assert found.at_most(3, seed=3).queries == found.queries
    assert lots(1, "a").random() == lots(1, "a").random() != lots(1, "b").random()


ALL_WAYS = [(known, masked) for known in KNOWN for masked in (False, True)]


@each_row(("known", "masked"), ALL_WAYS)
def test_the_removed_citation_is_nowhere_in_the_draft(
    known: str, masked: bool, collection: Collection, works: NamedWorks, found: LocalQueries
) -> None:
    for query in found.queries:
        posed = pose_query(collection, works, query, known, masked=masked)
        gold = {collection.corpus.ids[row] for row in query.gold.tolist()}
        assert not gold & {*posed.draft.references, *posed.passage.beside}
        assert posed.draft.paper_id == collection.corpus.ids[query.citing]
        assert posed.draft.as_of == collection.corpus.years[query.citing]
        assert (posed.draft.authors, posed.draft.venue) == ((), None)


@given(data=st.data())
def test_whatever_is_removed_is_in_no_draft(
    data: st.DataObject, collection: Collection, works: NamedWorks
) -> None:
    citing = data.draw(st.sampled_from(["rivers-05", "deserts-11", "glaciers-02", "rivers-00"]))
    names = [f"{topic}-{age:02}" for topic in ("rivers", "deserts", "glaciers") for age in (1, 4)]
    mine = collection.corpus.full_papers(rows(collection, citing))[0].references
    gold = data.draw(st.sets(st.sampled_from([*names, *mine]), min_size=1))
    said = " and ".join(f"{each.partition('-')[0].title()} (20{each[-2:]})" for each in gold)
    query = asked(collection, citing, f"As {said} have shown.", *gold)
    for known, masked in ALL_WAYS:
        posed = pose_query(collection, works, query, known, masked=masked)
        assert not gold & {*posed.draft.references, *posed.passage.beside}
        kept = [each for each in mine if each not in gold] if known == KNOWN[2] else []
        assert list(posed.draft.references) == kept


@each_row("known", KNOWN)
def test_the_answer_cannot_be_read_from_names_and_years(
    known: str, collection: Collection, works: NamedWorks
) -> None:
    """Sentences that differ only in whom they name are one and the same once they are masked."""
    sentences = (
        "We follow Rivers (2004) closely.",
        "We follow Deserts (1999) closely.",
        "We follow Volcanoes et al. (2001) closely.",
        "We follow closely (Glaciers, 2003a; Rivers, 2004).",
    )
    queries = [asked(collection, "rivers-05", text, "rivers-04") for text in sentences]
    posed = {pose_query(collection, works, each, known, masked=True) for each in queries}
    assert len(posed) == 1
    raw = queries[0]
    passage = pose_query(collection, works, raw, known, masked=False).passage
    assert (passage.text, passage.beside) == (sentences[0], ())


def test_a_masked_sentence_names_no_author(
    collection: Collection, works: NamedWorks, found: LocalQueries
) -> None:
    for query in found.queries:
        text = pose_query(collection, works, query, KNOWN[0], masked=True).passage.text
        assert find_mentions(text) == ()
        assert not any(digits in text for digits in ("200", "201", "199"))


def test_what_stands_beside_the_gap_is_what_the_marks_would_tell(
    collection: Collection, works: NamedWorks
) -> None:
    def beside(text: str, *gold: str) -> tuple[str, ...]:
        query = asked(collection, "rivers-09", text, *gold)
        return pose_query(collection, works, query, KNOWN[2], masked=True).passage.beside

    assert beside("As Rivers (2007) and Rivers (2008) say.", "rivers-08") == ("rivers-07",)
    assert beside("As Rivers (2007) and Deserts (2008) say.", "rivers-08") == ("rivers-07",)
    # Of the draft's references only, and none that the draft does not list.
    assert beside("As Deserts (2008) says.", "rivers-08") == ()
    # The name of the gold paper would else mean its author's other paper, of the year before.
    assert beside("As Rivers (2008) says.", "rivers-08") == ()
    assert beside("As Rivers (2007) says.", "rivers-07", "rivers-08") == ()
