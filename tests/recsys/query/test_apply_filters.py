import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.query.query import apply_filters
from recsys.query.question_schema import Filters
from recsys.records import Draft, Paper
from recsys.store.corpus import Coded, Corpus
from recsys.store.words import fold, venue_key
from tests.rows import each_row
from tests.stored import store
from tests.tiny import collect

ARTICLE, REVIEW = {"type": "Article"}, {"doc_type": "Article; Review"}
PAPERS = (
    Paper("a", "One", year=2001, authors=("Tamara Muller",), venue="IEEE TVCG (VIS issue)"),
    Paper("b", "Two", year=2002, authors=("T. Müller", "Ann Ash"), venue="Tvcg 22", labels=REVIEW),
    Paper("c", "Three", year=2003, authors=("Mullerson, B.",), venue="Acta Árborum, 2003"),
    Paper("d", "Four", year=2004, authors=("Muller",), venue="Acta Arborum", labels=ARTICLE),
    Paper("e", "Five", authors=("Hans van der Muller",), labels=ARTICLE),
)
DRAFT = Draft("One", authors=("Ash, Ann", "Muller, H."))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return store(PAPERS, tmp_path_factory.mktemp("filtering") / "corpus")


def left(corpus: Corpus, filters: Filters) -> str:
    """Spell the ids of the papers that pass."""
    keep = apply_filters(filters, corpus, DRAFT).keep
    assert keep is not None
    assert keep.dtype == bool
    return "".join(corpus.ids[row] for row in np.flatnonzero(keep).tolist())


@each_row(
    ("filters", "ids"),
    [
        # Years are inclusive, and unknown ones fail.
        (Filters(min_year=2003), "cd"),
        (Filters(max_year=2002), "ab"),
        (Filters(min_year=2002, max_year=2003), "bc"),
        (Filters(max_year=10**9), "abcd"),
        (Filters(min_year=-(10**9)), "abcd"),
        # A venue matches one of the patterns.
        (Filters(venues=("*TVCG*",)), "ab"),
        (Filters(venues=("tvcg",)), "b"),  # Without the volume.
        (Filters(venues=("tvcg ??",)), "b"),
        (Filters(venues=("IEEE TVCG VIS issue",)), "a"),  # Without punctuation.
        (Filters(venues=("*(vis issue)",)), "a"),
        (Filters(venues=("acta arborum",)), "cd"),
        (Filters(venues=("ACTA ÁRBORUM",)), "cd"),
        (Filters(venues=("*2003",)), "c"),
        (Filters(venues=("*[!0-9)]",)), "abcd"),
        (Filters(venues=("Acta*", " tvcg* ")), "bcd"),
        (Filters(venues=("*",)), "abcd"),
        (Filters(venues=("acta", "arborum")), ""),
        (Filters(venues=("a|*",)), ""),
        # A paper is of one of the types.
        (Filters(types=("review",)), "b"),
        (Filters(types=("Article",)), "bde"),
        (Filters(types=("journal-article",)), "bde"),
        (Filters(types=("review", "thesis")), "b"),
        (Filters(types=("thesis",)), ""),
        # A surname alone is everybody of that name.
        (Filters(exclude_authors=("Muller",)), "c"),
        (Filters(exclude_authors=("MÜLLER",)), "c"),
        (Filters(exclude_authors=("Müller, T.",)), "cde"),
        (Filters(exclude_authors=("T. Muller",)), "cde"),
        (Filters(exclude_authors=("Tamara Muller", "Bo Mullerson")), "de"),
        (Filters(exclude_authors=("Muller, X.",)), "abcde"),
        (Filters(exclude_authors=("Mull",)), "abcde"),
        # Own papers are those of the draft's authors.
        (Filters(exclude_own=True), "acd"),
        (Filters(library=("b", "nowhere", "e", "b")), "acd"),
    ],
)
def test_papers_that_pass(corpus: Corpus, filters: Filters, ids: str) -> None:
    assert left(corpus, filters) == ids


def test_names_that_may_not_be_read_do_not_say_whose_a_paper_is() -> None:
    papers = [Paper("a", "One", authors=("A. Lee",)), Paper("b", "Two", authors=("Anton Lee",))]
    lees, draft = collect(papers, np.eye(2, dtype=np.float32)).corpus, Draft(authors=("Ann Lee",))
    for allowed, kept in (([True, True], [True, True]), ([True, False], [False, True])):
        found = apply_filters(Filters(exclude_own=True), lees, draft, np.array(allowed))
        assert found.keep is not None and found.keep.tolist() == kept


@given(st.lists(st.text("*?[!]-AaÁ()2|\\", min_size=1), min_size=1, max_size=3))
def test_any_text_is_a_pattern_as_in_a_shell(globs: list[str]) -> None:
    names = ["Aa (2)", "áa-2", "[a]", "2", ""]
    papers = collect([Paper(str(i), "T") for i in range(5)], np.eye(5, dtype=np.float32)).corpus
    # A cached property may be filled in: nothing is read then.
    vars(papers)["venue_names"] = Coded(tuple(names), np.arange(5, dtype=np.int32))
    expected = [
        bool(name) and any(fnmatchcase(form, fold(glob)) for glob in globs for form in forms(name))
        for name in names
    ]
    keep = apply_filters(Filters(venues=tuple(globs)), papers, DRAFT).keep
    assert keep is not None
    assert keep.tolist() == expected


def forms(name: str) -> list[str]:
    return [form for form in (fold(name), venue_key(name)) if form]


def test_without_filters_there_is_nothing_to_keep(corpus: Corpus) -> None:
    filtering = apply_filters(Filters(), corpus, DRAFT)
    assert (filtering.keep, filtering.filters) == (None, ())
    assert filtering.removed(np.arange(5, dtype=np.int32)) == {}


def test_every_filter_is_named_and_counted_in_order(corpus: Corpus) -> None:
    filters = Filters(2002, 2003, ("*",), ("review", "article"), ("Elm", "Fir"), True, ("a",))
    filtering = apply_filters(filters, corpus, DRAFT)
    rows = np.array([0, 1, 2, 4], np.int32)
    assert list(filtering.removed(rows).items()) == [
        ("--min-year 2002", 2),
        ("--max-year 2003", 0),
        ("--venue *", 0),
        ("--type review, article", 1),
        ("--exclude-author Elm, Fir", 0),
        ("--exclude-own", 1),
        ("--exclude-library", 0),
    ]


@each_row(
    ("filters", "advice"),
    [
        (
            Filters(types=("thesis",), min_year=2002),
            "No paper of the corpus passes --type thesis. Its types are article, review.",
        ),
        (
            Filters(venues=("Nature",)),
            "No paper of the corpus passes --venue Nature. Its most frequent venues are "
            "IEEE TVCG (VIS issue); Tvcg 22; Acta Árborum, 2003; Acta Arborum.",
        ),
        (
            Filters(max_year=1999),
            "No paper of the corpus passes --max-year 1999. Its years are 2001 to 2004.",
        ),
        (
            Filters(min_year=2004, types=("review",)),
            "Loosen --min-year 2004: without it there would be 1 paper.",
        ),
        (
            Filters(max_year=2001, types=("article",)),
            "Loosen --max-year 2001: without it there would be 3 papers.",
        ),
        (
            Filters(max_year=2001, types=("review",), library=("b",), exclude_own=True),
            "Loosen --type review: without it there would be 1 paper.",
        ),
        (
            Filters(max_year=2001, venues=("acta*",), types=("review",)),
            "Loosen more than one of --max-year 2001, --venue acta*, --type review.",
        ),
    ],
)
def test_advice_names_what_to_loosen(corpus: Corpus, filters: Filters, advice: str) -> None:
    assert apply_filters(filters, corpus, DRAFT).advice(np.ones(5, bool)) == advice


def test_a_corpus_that_knows_nothing_says_so(tmp_path: Path) -> None:
    bare = store([Paper("x", "Title")], tmp_path / "bare")
    for filters, has_no in (
        (Filters(min_year=0), "years"),
        (Filters(venues=("*",)), "venues"),
        (Filters(types=("article",)), "types"),
        (Filters(exclude_authors=("Ash",), min_year=1), "years"),
    ):
        advice = apply_filters(filters, bare, DRAFT).advice(np.ones(1, bool))
        assert advice.endswith(f"It has no {has_no}.")


@each_row(
    ("filters", "message"),
    [
        (Filters(min_year=2016, max_year=2015), "from 2016 on and up to 2015.*--min-year"),
        (Filters(venues=("*TVCG*", " ")), "--venue is empty"),
        (Filters(venues=("*a" * 6_000, "*b" * 6_000)), "--venue have more than 20,000 letters"),
        (Filters(types=("",)), "--type is empty"),
        (Filters(exclude_authors=("Munzner", "-.-")), "'-.-' is not an author's name"),
    ],
)
def test_what_makes_no_sense_is_refused(corpus: Corpus, filters: Filters, message: str) -> None:
    with pytest.raises(InputError, match=message):
        apply_filters(filters, corpus, DRAFT)


def test_the_package_opens_without_numpy() -> None:
    code = "import recsys, sys; recsys.Filters(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
