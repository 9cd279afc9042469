from hypothesis import given
from hypothesis import strategies as st

from recsys.store.corpus import paper_type, paper_types
from tests.rows import each_row

TEXT = st.text(st.characters(codec="latin-1"), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=5,
)


@each_row(
    ("labels", "types"),
    [
        ({"type": "article"}, ("article",)),
        ({"doc_type": "Article; Proceedings Paper"}, ("article", "conference")),
        ({"article_type": "Research article"}, ("article",)),
        ({"article_type": "Research Article"}, ("article",)),
        ({"article_type": "Short report"}, ("short-report",)),
        ({"publicationTypes": ["JournalArticle", "Review"]}, ("article", "review")),
        ({"type": ["Review", "Review"]}, ("review",)),
        ({"type": "book-chapter"}, ("chapter",)),
        ({"docType": "BookChapter"}, ("chapter",)),
        ({"type": "posted-content"}, ("preprint",)),
        ({"type": "Thèse"}, ("these",)),
        ({"type": " - "}, ()),
        ({"type": [None, 3, {"name": "review"}]}, ()),
        ({"topic": "review", "area": ["article"]}, ()),
        ({}, ()),
    ],
)
def test_types_are_named_alike_whatever_the_source(
    labels: dict[str, object], types: tuple[str, ...]
) -> None:
    assert paper_types(labels) == types


@given(st.dictionaries(st.sampled_from(["type", "docType", "topic"]), JSON))
def test_any_labels_have_clean_distinct_types(labels: dict[str, object]) -> None:
    types = paper_types(labels)
    assert len(set(types)) == len(types)
    assert all(name and paper_type(name) == name for name in types)
