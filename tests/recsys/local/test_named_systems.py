"""Words that may be names of systems."""

from hypothesis import given
from hypothesis import strategies as st

from recsys.local.mentions import find_system_names, is_system_shaped, system_key
from tests.rows import each_row


@each_row(
    "word",
    ["BERT", "GraphSAGE", "word2vec", "t-SNE", "MALLET", "C4.5", "GPT-2", "MSTParser", "iBark"],
)
def test_names_are_told_by_their_shape(word: str) -> None:
    assert is_system_shaped(word)
    (found,) = find_system_names(f"we use {word}, too")
    assert (found.name, found.plain) == (word, False)


@each_row("word", ["tree", "Tree", "Real-Time", "3-gram", "2004", "EM-based", "A"])
def test_other_words_have_no_such_shape(word: str) -> None:
    assert not is_system_shaped(word)


def test_each_name_is_found_once_and_with_its_place() -> None:
    text = "BERT, then Moss, bert and BERT in the UK (PDF)"
    found = find_system_names(text)
    assert [(text[name.start : name.end], name.plain) for name in found] == [
        ("BERT", False),
        ("Moss", True),
    ]


def test_names_of_authors_are_left_out() -> None:
    text = "McFir and BARK (2004) built BarkNet"
    assert [name.name for name in find_system_names(text, taken=[(0, 21)])] == ["BarkNet"]


def test_keys_do_not_depend_on_spelling() -> None:
    assert system_key("Tree-Bänk 2.0") == system_key("TREEBANK20")


@given(st.text(max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    for name in find_system_names(text):
        assert text[name.start : name.end] == name.name
