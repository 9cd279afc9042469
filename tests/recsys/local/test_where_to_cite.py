"""Papers find their sentences in invented drafts, whose right answers are known."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.where_to_cite import LEAST, PlaceFinder
from recsys.protocols import Encoder
from recsys.recommend import Recommender
from recsys.records import Answer, Body, Mark, Paper, Place, Recommendation, Sentence, Span
from recsys.store.arrays import Floats
from tests.hashing_encoder import HashingEncoder
from tests.pipelines.small_index import SumRanker
from tests.rows import each_row
from tests.tiny import collect

PAPERS = (
    Paper("p0", "Measuring rivers by boat", year=2001, authors=("Ann Ash", "Bob Elm")),
    Paper("p1", "Glaciers seen from space", year=2003, authors=("Cid Yew",)),
    Paper("p2", "Volcanoes and their ashes", year=2005, authors=("Dee Date",)),
    Paper("p3", "Moss in gardens", year=2010, authors=("Eva Tillman",), references=("p1",)),
)
RIVERS = "Long rivers can be measured from a boat."
GLACIERS = "From space, glaciers are seen to shrink."
VOLCANOES = "The ashes of volcanoes travel far."
OTHER = "We thank nobody."


class Counted(HashingEncoder):
    """Counts the texts of each call."""

    def __init__(self) -> None:
        super().__init__(dim=64)
        self.calls: list[int] = []

    def encode(self, texts: Sequence[tuple[str, str | None]]) -> Floats:
        self.calls.append(len(texts))
        return super().encode(texts)


def finder_of(papers: Sequence[Paper] = PAPERS, encoder: Encoder | None = None) -> PlaceFinder:
    vectors = HashingEncoder(dim=64).encode([(paper.title, None) for paper in papers])
    encoder = encoder or HashingEncoder(dim=64)
    return PlaceFinder(Recommender(collect(papers, vectors), encoder, SumRanker()))


FINDER = finder_of()


def body_of(*texts: str, unit: str = "line") -> Body:
    spans = [Span(line, 3, line, 9) for line in range(1, len(texts) + 1)]
    sentences = (Sentence(text, span=span) for text, span in zip(texts, spans, strict=True))
    return Body(tuple(sentences), unit=unit)


def answer_of(*papers: Paper) -> Answer:
    items = [
        Recommendation(rank, paper, 1.0, 0.5, ("bm25",), ())
        for rank, paper in enumerate(papers, start=1)
    ]
    return Answer(tuple(items), "A draft.", {}, notes=("A note.",))


EVERYTHING = "Rivers by boat, glaciers seen from space, volcanoes and their ashes."


@each_row(
    ("texts", "ids", "lines"),
    [
        ((OTHER, VOLCANOES, RIVERS, OTHER, GLACIERS), "p0 p1 p2", {"p0": 3, "p1": 5, "p2": 2}),
        ((EVERYTHING, RIVERS), "p0", {"p0": 2}),  # A sentence on everything is nobody's.
        ((OTHER, RIVERS, RIVERS), "p0", {"p0": 2}),  # Of equal sentences the first.
        ((RIVERS, "Like Ash and Elm (2001), we count.", OTHER), "p0", {"p0": 2}),
        ((RIVERS, "Like Ash and Elm (1980), we count."), "p0", {"p0": 1}),
        ((), "p0 p1 p2", {}),
        (("", " ", "%&!"), "p0 p1 p2", {}),
    ],
)
def test_each_paper_goes_to_the_sentence_on_it(
    texts: tuple[str, ...], ids: str, lines: dict[str, int]
) -> None:
    found = FINDER.places(body_of(*texts), ids.split())
    assert {paper: place.line for paper, place in found.items()} == lines


def test_papers_on_one_thing_share_the_sentence_on_it() -> None:
    papers = [replace(PAPERS[0], id=f"r{number}") for number in range(9)]
    ids = [paper.id for paper in papers]
    found = finder_of(papers).places(body_of(OTHER, "Nothing else.", RIVERS), ids)
    assert {key: place.line for key, place in found.items()} == dict.fromkeys(ids, 3)


def test_the_place_says_what_is_known_of_the_sentence() -> None:
    sentence = Sentence(RIVERS, section="Water", file="one.tex", span=Span(7, 2, 8, 1))
    [place] = FINDER.places(Body((sentence,), unit="page"), ["p0"]).values()
    assert place == Place(RIVERS, place.score, 7, 2, "page", "one.tex", "Water")
    [unplaced] = FINDER.places(Body((Sentence(RIVERS),)), ["p0"]).values()
    assert (unplaced.line, unplaced.column, unplaced.unit) == (None, None, "line")


def test_a_mark_that_a_citation_is_missing_decides_between_equals() -> None:
    plain, marked = Sentence(RIVERS), Sentence(RIVERS, marks=(Mark(at=4, gap=True),))
    cited = Sentence(RIVERS, marks=(Mark(at=4, keys=("a",)),))
    body = Body((plain, cited, replace(marked, section="here")))
    assert FINDER.places(body, ["p0"])["p0"].section == "here"
    body = Body((plain, replace(cited, section="not here")))
    assert FINDER.places(body, ["p0"])["p0"].section == ""


def test_what_fits_nowhere_has_no_place_and_is_counted() -> None:
    found = FINDER.place(body_of(OTHER, RIVERS), answer_of(*PAPERS[:3]))
    assert found.where is not None and list(found.where) == ["p0"]
    assert found.notes == ("A note.", "2 papers fit no single sentence of the draft.")
    alone = FINDER.place(body_of(OTHER), answer_of(PAPERS[0]))
    assert alone.notes[-1] == "1 paper fits no single sentence of the draft."
    whole = FINDER.place(body_of(RIVERS), answer_of(PAPERS[0]))
    assert whole.notes == ("A note.",)
    assert whole.recommendations == answer_of(PAPERS[0]).recommendations


def test_only_older_citers_tell_how_a_paper_is_spoken_of() -> None:
    body = body_of("Moss grows in gardens.", OTHER)
    now = FINDER.places(body, ["p1"])
    assert now["p1"].line == 1
    assert FINDER.places(body, ["p1"], as_of=2010) == {}
    assert FINDER.places(body, ["p1"], as_of=2011) == now


def test_of_a_long_text_the_sentences_with_most_words_are_compared() -> None:
    encoder = Counted()
    finder = replace(finder_of(encoder=encoder), most=3)
    body = body_of(*[OTHER] * 40, RIVERS, *[OTHER] * 40, GLACIERS)
    found = finder.place(body, answer_of(*PAPERS[:2]))
    assert found.where is not None
    assert {key: place.line for key, place in found.where.items()} == {"p0": 41, "p1": 82}
    assert encoder.calls == [3]
    assert found.notes[-1] == (
        "Of 82 sentences, 3 were compared with the papers: those that share most words with them."
    )


WORDS = st.sampled_from("river rivers boat glacier space ashes volcano Ash Elm (2001) moss".split())
TEXTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), min_size=1, max_size=8)


@given(TEXTS, st.permutations(["p0", "p1", "p2", "p3"]))
def test_places_are_sentences_of_the_draft_whatever_the_order_of_papers(
    texts: list[str], ids: list[str]
) -> None:
    body = body_of(*texts)
    found = FINDER.places(body, ids)
    assert found == FINDER.places(body, sorted(ids))
    for place in found.values():
        assert place.line is not None and place.text == texts[place.line - 1]
        assert np.isfinite(place.score) and place.score >= LEAST
