"""Which papers of a corpus some people wrote."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recsys.records import Paper
from recsys.store.arrays import Mask
from recsys.store.corpus import MOST_NAMESAKES, RARE, Corpus
from recsys.store.names import agree, bearers, initialled, name_keys, written_out
from tests.rows import each_row
from tests.tiny import collect

OTHER_LEES = tuple((f"{letter}. Lee",) for letter in "BCDEFGH"[:RARE])
"""With them, the surname is not rare."""


def corpus_of(lists: Sequence[Sequence[str]]) -> Corpus:
    """Make a corpus of a paper for each list of authors."""
    papers = [Paper(f"p{row:03}", "T", authors=tuple(names)) for row, names in enumerate(lists)]
    return collect(papers, np.eye(len(papers), 2, dtype=np.float32)).corpus


@each_row(
    ("draft", "lists", "rows"),
    [
        # What is written out tells, whoever else is called so.
        (["Ann Lee"], [["Lee, Ann"], ["Ann M. Lee"], ["Anton Lee"], *OTHER_LEES], [0, 1]),
        (["Jianhua Wei"], [["Jinsong Wei"], ["Wei, Jin-Song"]], []),
        # An abbreviation tells where the surname is rare ...
        (["Ann Lee"], [["A. Lee"], ["Bo Elm"]], [0]),
        (["A. Lee"], [["Ann Lee"], ["A. Lee"]], [0, 1]),
        (["Lee"], [["Ann Lee"]], [0]),
        (["A. Lee"], [["A. M. Lee"], ["A. Lee"], ["A. M. Lee", "Bo Elm"]], [1]),
        (["A. Lee", "Bo Elm"], [["A. M. Lee"], ["A. M. Lee", "B. Elm"]], [1]),
        # Two initials are as good as a name in full ...
        (["A. M. Lee"], [["A. M. Lee"], ["A. Lee"], ["A. N. Lee"], *OTHER_LEES], [0]),
        # ... and one, where the surname is not rare, tells beside another author of the draft.
        (["Ann Lee"], [["A. Lee"], *OTHER_LEES], []),
        (["Ann Lee", "Bo Elm"], [["A. Lee"], ["A. Lee", "B. Elm"], *OTHER_LEES], [1]),
        (["Ann Lee", "Bo Elm"], [["A. Lee"], ["Elm, Bo"], *OTHER_LEES], [1]),
        # Two initials that agree tell, one of two does not.
        (["A. M. Lee"], [["A. M. Lee"], ["A. Lee"], ["Lee, AM"], *OTHER_LEES], [0, 2]),
        (["A. M. Lee"], [["A. Lee"], ["Bo Elm"]], []),
        (["A. M. Lee", "Bo Elm"], [["A. Lee", "B. Elm"]], [0]),
        # Two spellings of one author are not two.
        (["Ann Lee", "A. Lee"], [["A. Lee"], *OTHER_LEES], []),
        (["[Anonymous]", "et al."], [["[Anonymous]"], ["Anonymous", "et al"]], []),
        # It does not where it may be somebody else's name.
        (["Ann Lee"], [["A. Lee"], ["Anton Lee"]], []),
        (["Ann Lee", "Bo Elm"], [["A. Lee", "Bo Elm"], ["Anton Lee"]], [0]),
        (["Ann Lee", "Bo Elm"], [["A. Lee"], ["Anton Lee"]], []),
        # Nobody is known.
        (["Zoe Zorn", "", "?"], [["Ann Lee"]], []),
        ([], [["Ann Lee"]], []),
    ],
)
def test_papers_of_a_drafts_authors(
    draft: list[str], lists: list[list[str]], rows: list[int]
) -> None:
    assert corpus_of(lists).written_by(draft).papers.tolist() == rows


def test_authors_who_wrote_anything_are_counted() -> None:
    corpus = corpus_of([["Ann Lee"], ["A. Lee", "Bo Elm"], ["Jinsong Wei"]])
    own = corpus.written_by(["Lee, Ann", "Ann Lee", "B. Elm", "Jianhua Wei", "et al."])
    assert own.known == 2
    assert [corpus.author_names[code] for code in own.codes] == ["elm bo", "lee a", "lee ann"]


def test_of_many_namesakes_only_names_in_full_tell() -> None:
    crowd = [[f"J{letter}{other} Wang"] for letter in "abcdef" for other in "abcdef"]
    assert len(crowd) > MOST_NAMESAKES
    corpus = corpus_of([["Jing Wang"], ["J. Wang"], ["Jing M. Wang"], ["Jing Wang", "Bo Elm"]])
    assert corpus.written_by(["Jing Wang"]).papers.tolist() == [0, 1, 2, 3]
    corpus = corpus_of(
        [["Jing Wang"], ["J. Wang"], ["Jing M. Wang"], ["J. Wang", "Li Elm"], *crowd]
    )
    assert corpus.written_by(["Jing Wang"]).papers.tolist() == [0, 2]
    assert corpus.written_by(["Jing Wang", "Li Elm"]).papers.tolist() == [0, 2, 3]
    assert corpus.written_by(["J. Wang"]).papers.tolist() == []
    corpus = corpus_of([["J. M. Wang"], ["J. Wang"], *crowd])
    assert corpus.written_by(["Wang, JM"]).papers.tolist() == [0]
    assert corpus.written_by(["Wang"]).papers.tolist() == []


def test_names_of_papers_that_may_not_be_read_are_not_heeded() -> None:
    corpus = corpus_of([["A. Lee"], ["Anton Lee"], ["Ann Lee"], *OTHER_LEES])
    allowed = np.ones(len(corpus), bool)
    assert corpus.written_by(["Ann Lee"], allowed).papers.tolist() == [2]
    allowed[[1, 3, 4, 5]] = False  # Neither Anton nor that the surname is frequent is known yet.
    assert corpus.written_by(["Ann Lee"], allowed).papers.tolist() == [0, 2]
    allowed[2] = False
    assert corpus.written_by(["Ann Lee"], allowed).papers.tolist() == [0]
    assert corpus.written_by(["Ann Lee"], ~allowed).papers.tolist() == [2]


NAMES = (
    *("Ann Lee", "A. Lee", "Anton Lee", "A. M. Lee", "Lee", "B. Lee", "Cy Lee", "D. Lee", "E. Lee"),
    *("Bo Elm", "B. Elm", "Li-Hua Wei", "Li Wei", "L. H. Wei", "L. Wei", "Wei", "?"),
)
LISTS = st.lists(st.lists(st.sampled_from(NAMES), max_size=3, unique=True), min_size=1, max_size=9)


@given(LISTS, st.lists(st.sampled_from(NAMES), max_size=3), st.integers(0, 511))
def test_any_papers_are_found_by_the_rules(
    lists: list[list[str]], draft: list[str], bits: int
) -> None:
    corpus = corpus_of(lists)
    allowed = np.array([bits >> row & 1 for row in range(len(lists))], bool)
    own = corpus.written_by(draft, allowed)
    assert own.papers.tolist() == by_the_rules(lists, draft, allowed)
    everything = np.ones(len(lists), bool)
    assert corpus.written_by(draft).papers.tolist() == by_the_rules(lists, draft, everything)


def by_the_rules(lists: list[list[str]], draft: list[str], allowed: Mask) -> list[int]:
    """Apply the rules paper by paper and name by name."""
    papers = [name_keys(names) if may else [] for names, may in zip(lists, allowed, strict=True)]
    known = sorted({*chain.from_iterable(papers)})
    sure, theirs = set[str](), list[set[str]]()
    for key in name_keys(draft):
        family, block = key.split(" ")[0], initialled(key)
        rivals = [name for name in known if block in (initialled(name), name.split(" ")[0])]
        names = {name for name, its in zip(rivals, bearers(key, rivals), strict=True) if its}
        initials = {initialled(name) for name in known if name.split(" ")[0] == family}
        sure |= {name for name in names if agree(key, name)}
        if len(initials) <= RARE:
            sure |= {n for n in names if n == key or written_out(n) or written_out(key)}
        theirs.append(names)
    return [
        row
        for row, names in enumerate(papers)
        if not sure.isdisjoint(names)
        or (
            sum(not its.isdisjoint(names) for its in theirs) > 1
            and len(set(names) & set[str]().union(*theirs)) > 1
        )
    ]


@given(st.lists(st.sampled_from(NAMES), max_size=3), st.lists(st.sampled_from(NAMES), max_size=3))
def test_namesakes_are_all_who_may_be_so_called(names: list[str], asked: list[str]) -> None:
    corpus = corpus_of([names])
    called = {corpus.author_names[code] for code in corpus.namesakes(asked)}
    assert called == {
        key
        for key in name_keys(names)
        for other in name_keys(asked)
        if agree(key, other) is not False and (" " in key or " " not in other)
    }


def test_namesakes_among_many_are_those_among_few() -> None:
    letters = "abcdefghijklmnopqrst"
    many = [f"J{one}{other} Wang" for one in letters for other in letters]
    names = [*many, "J. Wang", "J. A. Wang", "Ja Wang", "Ja B. Wang", "Jab Al Wang", "Jabc Wang"]
    corpus = corpus_of([[name] for name in names])
    for asked in ("Jab Wang", "Ja-B Wang", "J. Wang", "J. A. Wang", "Wang", "Jabc D. Wang"):
        (key,) = name_keys([asked])
        called = {corpus.author_names[code] for code in corpus.namesakes([asked])}
        assert called == {other for other in name_keys(names) if agree(key, other) is not False}
