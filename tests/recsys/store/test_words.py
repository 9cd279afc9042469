import re

from hypothesis import given
from hypothesis import strategies as st

from recsys.store.words import (
    Parted,
    fold,
    folded_words,
    singular,
    spoken,
    tokens,
    venue_key,
    word_pairs,
)
from tests.rows import each_row

RAW_WORD = re.compile(r"[^\W_]+")


@each_row(
    ("text", "expected"),
    [
        ("Citation graphs, and GRAPH citations!", ["citation", "graph", "graph", "citation"]),
        ("state-of-the-art under_score", ["state", "art", "score"]),
        ("Größe naïve Ångström", ["grosse", "naive", "angstrom"]),
        ("x a 3 42 3d", ["42", "3d"]),
        ("ﬁne ﬁlters", ["fine", "filter"]),
        ("文献 推薦", ["文献", "推薦"]),
        ("", []),
        (None, []),
        ("the of and", []),
    ],
)
def test_tokens_are_folded_singular_words(text: str | None, expected: list[str]) -> None:
    assert tokens(text) == expected


@each_row(
    ("plural", "expected"),
    [
        ("queries", "query"),
        ("studies", "study"),
        ("boxes", "boxe"),
        ("nodes", "node"),
        ("papers", "paper"),
        ("corpus", "corpus"),
        ("class", "class"),
        ("gas", "gas"),
        ("aies", "aie"),
        ("heroes", "heroe"),
        ("graph", "graph"),
    ],
)
def test_plural_endings_are_stripped_the_same_way_each_time(plural: str, expected: str) -> None:
    assert singular(plural) == expected


def test_text_beyond_fifty_thousand_characters_is_not_read() -> None:
    assert tokens("word " * 9_999 + "last1 " + "hidden") == ["word"] * 9_999 + ["last1"]


@given(st.text() | st.text("aB3 _-é\u2019Σς½ﬁ\u211d漢\u0301\u0130\u1e9e\ud800\x1c\x85"))
def test_folded_words_are_those_of_the_folded_text(text: str) -> None:
    assert folded_words(text) == RAW_WORD.findall(fold(text))


@given(st.text("abcdeéÅ sS,.", max_size=40))
def test_spoken_words_carry_the_spelling_and_the_place_beside_the_token(text: str) -> None:
    words = spoken(text)
    assert [token for token, _, _ in words] == tokens(text)
    assert all(singular(fold(word)) == token for token, word, _ in words)
    assert all(text[at : at + len(word)] == word for _, word, at in words)


def test_word_pairs_span_stop_words_but_no_punctuation() -> None:
    text = "Learning to rank graphs. Deep  networks, citation-graph of the web"
    words = spoken(text)
    known = [token for token, _, _ in words]

    among = {(left, right) for left in known for right in known}
    assert word_pairs(text, words, among) == [
        ("learning", "rank"),
        ("rank", "graph"),
        ("deep", "network"),
        ("citation", "graph"),
        ("graph", "web"),
    ]
    among = {("rank", "graph"), ("graph", "deep"), ("web", "rank")}
    assert word_pairs(text, words, among) == [("rank", "graph")]
    assert word_pairs(None, spoken(None), among) == []


@given(st.text("abcdeéÅΣ sS,.-_", max_size=40))
def test_a_text_taken_apart_has_its_words_and_all_between_them(text: str) -> None:
    parted = Parted.of(text)
    kept = zip(parted.tokens, parted.words, strict=True)
    assert [(token, word) for token, word in kept if token] == [each[:2] for each in spoken(text)]
    pieces = zip(parted.words, parted.gaps, strict=True)
    assert text.endswith("".join(word + gap for word, gap in pieces))


def test_pairs_of_a_text_stand_beside_each_other() -> None:
    parted = Parted.of("Learning to rank graphs. Deep\n networks, Citation-Graphs of a new web")

    assert parted.pairs() == {
        ("rank", "graph"): "rank graphs",
        ("deep", "network"): "deep networks",
        ("citation", "graph"): "citation-graphs",
        ("new", "web"): "new web",
    }
    assert parted.spellings()["graph"] == "graphs"
    assert "of" not in parted.spellings().values()
    assert Parted.of(None).pairs() == Parted.of("one").pairs() == {}


@each_row(
    ("venue", "key"),
    [
        ("Proceedings of the 35th VLDB Conference, 2009", "proceedings of the vldb conference"),
        ("IEEE Trans. Vis. & Comp. Graphics", "ieee trans vis comp graphics"),
        ("计算机学报", "计算机学报"),
        ("Électronique_2", "electronique"),
        ("2019", ""),
        ("", ""),
    ],
)
def test_venue_keys(venue: str, key: str) -> None:
    assert venue_key(venue) == key
