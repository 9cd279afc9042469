"""Resolving names against invented worlds, whose right answers are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.local.named_works import NamedRows, NamedWorks, find_names
from recsys.records import Paper, Reason
from recsys.store.collection import Collection
from tests.rows import each_row
from tests.tiny import collect, unit

PAPERS = (
    ("Roots", 2019, ("Ann Ash", "Bob Elm")),
    ("Leaves", 2019, ("Ann Ash", "Bob Elm", "Cid Yew")),
    ("Stems", 2018, ("Ann Ash", "Bob Elm")),
    ("Barks", 2019, ("Ann Ash",)),
    ("Seeds", 2019, ("Bob Elm", "Ann Ash")),
    ("Cones", None, ("Dee Date",)),
    ("Buds", 2004, ("Eva Tillman",)),
    ("Twigs", 2006, ("Alina Adreeva", "Sab Berg")),
    ("Needles", 1999, ("Erik Tjo", "Kim San", "Jorn Veen")),
    ("Boughs", 2005, ("Dan Munt and Marc Cu",)),
    ("FOREST: a toolkit for trees", 2010, ("Kim Oak",)),
    ("Moss: open source trees", 2007, ("Kim Oak", "Lee Fir")),
    ("treeSNE for woods", 2008, ("Lee Fir",)),
    ("Fast growth of hedges (FROG)", 2009, ("Lee Fir",)),
    ("On the use of BarkNet in the wild", 2009, ("Lee Fir",)),
    ("A STUDY OF MOSS AND STONE", 1975, ("Max Pine",)),
)


def world() -> Collection:
    papers = [
        Paper(id=f"p{row:02}", title=title, year=year, authors=authors)
        for row, (title, year, authors) in enumerate(PAPERS)
    ]
    return collect(papers, unit(np.ones((len(papers), 4))))


WORKS = NamedWorks(world())


def resolved(text: str, as_of: int | None = None) -> NamedRows:
    return WORKS.resolve(find_names(text), as_of=as_of)


@each_row(
    ("text", "as_of", "found"),
    [
        # Two names are two authors in their order; the year may be off by one and not by two.
        ("as Ash and Elm (2019) say", None, ["Roots", "Stems"]),
        ("as Elm and Ash (2019) say", None, ["Seeds"]),
        ("Ash and Elm (2017)", None, ["Stems"]),
        ("Ash and Elm (2016)", None, []),
        # "Et al." are three or more; one name is the only author.
        ("(Ash et al., 2019)", None, ["Leaves", ...]),
        ("(Ash, Elm et al., 2019)", None, ["Leaves", ...]),
        ("(Ash, Elm and Yew, 2019)", None, ["Leaves"]),
        ("(Ash, 2019)", None, ["Barks"]),
        ("(Veen, 1999)", None, []),
        # A pair that wrote nothing is not its second author; a list may begin with no author.
        ("(Fir and Ash, 2019)", None, []),
        ("In Berlin, Ash and Elm (2019)", None, ["Roots", ...]),
        # What is newer than the draft is not named.
        ("Ash and Elm (2019)", 2018, ["Stems"]),
        ("(Date, 2011)", 2011, ["Cones"]),
        # Misspelt authors need the very year.
        ("(Tillmann, 2004)", None, ["Buds"]),
        ("(Tillmann, 2005)", None, []),
        ("Andreeva and Berg (2006)", None, ["Twigs"]),
        ("Munt and Cu (2005)", None, ["Boughs"]),
        ("(Tjo Kim San and Veen, 1999)", None, ["Needles"]),
        # Systems are found by what titles call them.
        ("we use FOREST here", None, ["FOREST: a toolkit for trees", ...]),
        ("we use Forest here", None, ["FOREST: a toolkit for trees", ...]),
        ("we use Moss here", None, ["Moss: open source trees", ...]),
        ("we use tree-SNE here", None, ["treeSNE for woods", ...]),
        ("the FROG system", None, ["Fast growth of hedges (FROG)", ...]),
        ("the BarkNet data", None, ["On the use of BarkNet in the wild", ...]),
        # Words that name nothing find nothing.
        ("Growth of hedges and woods in the wild, A Study of stone, GPU and URL", None, []),
        ("", None, []),
    ],
)
def test_works_are_found_by_their_names(text: str, as_of: int | None, found: list[object]) -> None:
    """found: the titles, best first; ...: others may follow."""
    rows = resolved(text, as_of)
    titles = [PAPERS[row][0] for row in rows.rows.tolist()]
    if found[-1:] == [...]:
        assert titles[: len(found) - 1] == found[:-1]
    else:
        assert titles == found


def test_only_allowed_papers_are_named() -> None:
    allowed = np.ones(len(PAPERS), bool)
    allowed[0] = False
    found = WORKS.resolve(find_names("Ash and Elm (2019)"), allowed=allowed)
    # Nor does the best one speak against Leaves, which has an author more, where nobody sees it.
    assert found.rows.tolist() == [2, 1]


def test_a_name_that_fills_titles_later_is_one_work_before() -> None:
    titles_by_year = [("SAWNET cuts trees", 2001), *[("Uses of SAWNET", 2009)] * 9]
    papers = [
        Paper(id=f"p{row}", title=title, year=year)
        for row, (title, year) in enumerate(titles_by_year)
    ]
    works = NamedWorks(collect(papers, unit(np.ones((len(papers), 4)))))
    named = find_names("trees are cut by SAWNET")
    assert works.resolve(named, as_of=2001).rows.tolist() == [0]
    assert works.resolve(named, as_of=2009).rows.tolist() == []


def test_shares_say_what_else_could_be_meant() -> None:
    found = resolved("Ash and Elm (2019) and FOREST")
    assert found.rows.tolist() == [10, 0, 2]
    assert found.shares.tolist() == pytest.approx([1, 1 / 1.45, 0.45 / 1.45])


def test_the_reason_says_who_is_named() -> None:
    found = resolved("Ash and Elm (2019a) and FOREST")
    reasons = [found.reason(place) for place in range(2)]
    assert reasons == [
        Reason("named", "named in the sentence: FOREST"),
        Reason("named", "named in the sentence: Ash and Elm (2019a)"),
    ]


@given(st.integers(0, len(PAPERS) - 1), st.sampled_from(["{} ({})", "({}, {})", "see {} ( {} )"]))
def test_every_paper_is_found_by_its_own_citation(row: int, form: str) -> None:
    _, year, authors = PAPERS[row]
    names = [name.split()[-1] for name in authors]
    printed = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    found = resolved(form.format(printed, year or 2000))
    assert row in found.rows[found.scores == found.scores.max()].tolist()
