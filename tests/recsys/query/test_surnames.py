"""Works that prose names: the one paper of these authors and this year, or none."""

import numpy as np

from recsys.formats.drafts.wording import OTHERS
from recsys.query.matching import match
from recsys.query.question import pose
from recsys.records import Manuscript, Paper, Reference
from tests.rows import each_row
from tests.tiny import collect, unit

PAPERS = (
    Paper("a", "On nests", year=2010, authors=("Ada Ash", "Bo Birch")),
    Paper("b", "On wings", year=2010, authors=("Ada Ash", "Bo Birch", "Cy Cedar")),
    Paper("c", "On honey", year=2011, authors=("Dee van der Date",)),
    Paper("d", "On gravel", year=2012, authors=("Eva Elm",)),
    Paper("e", "On engines", year=2012, authors=("Ernst Elm",)),
)


@each_row(
    ("authors", "year", "meant"),
    [
        (("Ash", "Birch"), 2010, "a"),
        (("Ash", "Birch", "Cedar"), 2010, "b"),
        (("Date",), 2011, "c"),
        (("Ash", OTHERS), 2010, None),
        (("Elm",), 2012, None),
        (("Ash",), 2010, None),
        (("Birch", "Ash"), 2010, None),
        (("Ash", "Birch"), 2009, None),
    ],
)
def test_surnames_and_a_year_mean_the_only_paper_that_fits(
    authors: tuple[str, ...], year: int, meant: str | None
) -> None:
    collection = collect(PAPERS, unit(np.eye(5, dtype=np.float32)))
    [found] = match(collection, [Reference(key="x", authors=authors, year=year)])
    assert (None if found.row is None else collection.corpus.ids[found.row]) == meant


def test_what_could_be_several_papers_is_counted() -> None:
    collection = collect(PAPERS, unit(np.eye(5, dtype=np.float32)))
    works = (
        Reference(key="Elm (2012)", authors=("Elm",), year=2012),
        Reference(key="Fir (2012)", authors=("Fir",), year=2012),
        Reference(key="Ash and Birch (2010)", authors=("Ash", "Birch"), year=2010),
    )
    question = pose(collection, Manuscript(title="Of forests", references=works))
    assert question.draft.references == ("a",)
    assert "3 references: 1 matched, 2 not in the corpus" in question.understood
    assert "1 work named by surname and year could be several papers." in question.notes
