"""Which records are one is told by what they say: by no order, no copy, and no chain of others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.corpora.identity import Evidence, Fact, Resolved, resolve
from recsys.pipelines.corpora.works import NO_SPACE
from tests.pipelines.corpora.corpus_files import json_lines, read, write
from tests.rows import each_row, few

RIVERS = "Slow rivers of the northern plain"


def fact(
    title: str = RIVERS,
    authors: str = "Ada Ash",
    year: int | None = 2001,
    **more: Any,  # noqa: ANN401 - Any column.
) -> Fact:
    names = [name for name in authors.split("; ") if name]
    told = {"title": title, "authors": names, "year": year, "names": []} | more
    if told.get("doi"):
        told["names"] = [told["doi"], *told["names"]]
    return Fact.of(told)


def parts(found: Resolved) -> set[frozenset[int]]:
    return {frozenset(group) for group in found.groups}


WEI, J_WEI, JINSONG = (fact(authors=name) for name in ("Jianhua Wei", "J. Wei", "Jinsong Wei"))
ONE: dict[str, Any] = {"doi": "10.5555/a.1"}
TWO: dict[str, Any] = {"doi": "10.5555/a.2"}
PREPRINT: dict[str, Any] = {"doi": "10.48550/arxiv.2001.00001", "names": ["arxiv:2001.00001"]}


@each_row(
    ("facts", "expected"),
    [
        # What fits two that contradict each other joins neither.
        ([WEI, J_WEI], [[0, 1]]),
        ([WEI, J_WEI, JINSONG], [[0], [1], [2]]),
        ([fact(year=2000), fact(year=2001), fact(year=2002)], [[0], [1], [2]]),
        ([fact(**ONE), fact(), fact(**TWO)], [[0], [1], [2]]),
        ([fact(names=["pmid:1"], **ONE), fact(names=["pmid:1"]), fact(names=["pmid:1"], **TWO)],
         [[0], [1], [2]]),
        # The surest evidence joins first, and what it joins is one from then on.
        ([fact(**ONE), fact(year=2002, **ONE), fact(year=2003)], [[0, 1], [2]]),
        ([fact(**ONE), fact(names=["pmid:1"], **ONE), fact(names=["pmid:1"])], [[0, 1, 2]]),
        ([fact(**ONE), fact(**ONE), fact(**TWO), fact(**TWO)], [[0, 1], [2, 3]]),
        # A chain through a record that says little.
        ([fact(names=["pmid:1"]), fact("", "", None, names=["pmid:1", "wos:2"]),
          fact("Sand in deserts", names=["wos:2"])], [[0], [1], [2]]),
        # A preprint and one paper are one; of two papers nobody knows which.
        ([fact(**PREPRINT), fact(year=2003, **ONE)], [[0, 1]]),
        ([fact(**PREPRINT), fact(**ONE), fact(**TWO)], [[0], [1], [2]]),
        ([fact(space=0, own_id="a"), fact(space=0, own_id="b")], [[0], [1]]),
        ([fact(space=0, own_id="a", **ONE), fact(space=0, own_id="b", **ONE)], [[0], [1]]),
        # Copies of what tells enough are one; of what tells too little, they are not.
        ([fact()] * 4, [[0, 1, 2, 3]]),
        ([fact("Editorial", "", None)] * 3, [[0], [1], [2]]),
        # What corrects a work is another one.
        ([fact(**ONE), fact(f"Erratum to: {RIVERS}", **ONE)], [[0], [1]]),
        ([fact(), fact(f"Correction: {RIVERS}"), fact(f"Correction: {RIVERS}")], [[0], [1, 2]]),
        # Titles that many works have, in two volumes.
        ([fact("Editorial", place="ash a|3|1"), fact("Editorial", place="ash a|4|1")], [[0], [1]]),
        ([fact("Editorial", place="ash a|3|1"), fact("Editorial", place="ash|3|1")], [[0, 1]]),
        ([fact("Book review", place="ash|3|1"), fact("Book review", place="ash|3|9")], [[0], [1]]),
        ([fact("Deep bogs", place="ash|3|e12"), fact("Deep bogs", place="ash|3|12")], [[0, 1]]),
    ],
)  # fmt: skip
def test_what_is_one(facts: Sequence[Fact], expected: list[list[int]]) -> None:
    assert sorted(resolve(facts, preprints=True).groups) == expected


def test_what_joined_is_counted_and_the_least_sure_is_told() -> None:
    alike = "Slow rivers of the northern plains"
    found = resolve(
        [fact(**ONE), fact(**ONE), fact(alike, year=2002, **ONE), fact()], preprints=True
    )
    assert found.joined == {Evidence.DOI: 2, Evidence.TITLE: 1}
    assert [join.by for join in found.joins] == ["by DOI", "by title, author and year"]
    assert found.joins[0].line() == (
        "3.72 of 4, by DOI: Ada Ash: Slow rivers of the northern plain (2001, 10.5555/a.1) = "
        "Ada Ash: Slow rivers of the northern plains (2002, 10.5555/a.1)"
    )
    clash = resolve([fact(**ONE), fact(), fact(**TWO)], preprints=True)
    assert (clash.kept_apart, clash.unclear, clash.joined) == (1, 1, {})


facts = st.builds(
    lambda title, authors, year, doi, names, space, own, place: fact(
        title, authors, year, doi=doi, names=names, space=NO_SPACE if own is None else space,
        own_id=own, sealed=space == 1, place=place,
    ),
    st.sampled_from((RIVERS, f"{RIVERS}s", f"{RIVERS}: a survey", "Sand", "Editorial", "")),
    st.sampled_from(("Ada Ash", "A. Ash", "Anna Ash", "Ada Ash; Ben Birch", "Eve Elm", "")),
    st.sampled_from((2000, 2001, 2002, None)),
    st.sampled_from((None, None, "10.5555/a.1", "10.5555/a.2", "10.48550/arxiv.2001.00001")),
    st.lists(st.sampled_from(("pmid:1", "pmid:2", "arxiv:2001.00001")), max_size=2, unique=True),
    st.sampled_from((0, 1)),
    st.sampled_from((None, None, "x", "y")),
    st.sampled_from((None, None, "ash|3|1", "ash|3|9")),
)  # fmt: skip


@given(st.lists(facts, max_size=7), st.booleans(), st.randoms())
def test_order_copies_and_strangers_change_nothing(
    told: list[Fact], preprints: bool, random: Random
) -> None:
    once = resolve(told, preprints=preprints)
    assert sorted(place for group in once.groups for place in group) == list(range(len(told)))
    order = random.sample(range(len(told)), len(told))
    shuffled = resolve([told[place] for place in order], preprints=preprints)
    assert {frozenset(order[place] for place in group) for group in parts(shuffled)} == parts(once)
    copies = [*told, *random.choices(told, k=3)] if told else []
    stranger = fact("How glaciers carve a wide valley", "Olaf Oak", 1999, doi="10.5555/other")
    more = resolve([*copies, stranger], preprints=preprints)
    own = {frozenset(place for place in group if place < len(told)) for group in parts(more)}
    assert own - {frozenset()} == parts(once)
    renamed = [replace(each, own_id=each.own_id and f"new {each.own_id}") for each in told]
    assert parts(resolve(renamed, preprints=preprints)) == parts(once)


@given(st.lists(facts, max_size=7), st.booleans())
def test_no_paper_holds_records_that_contradict_each_other(
    told: list[Fact], preprints: bool
) -> None:
    for group in resolve(told, preprints=preprints).groups:
        for one, other in combinations(group, 2):
            assert not told[one].contradicts(told[other], preprints=preprints)
            assert told[other].contradicts(told[one], preprints=preprints) is False


BOOK = "@incollection{{{key}, title={{{title}}}, author={{{who}}}, year=2001, {more}}}\n"


def bib(*entries: tuple[str, str, str]) -> Callable[[Path], Path]:
    lines = (
        BOOK.format(key=f"k{n}", title=title, who=who, more=more)
        for n, (title, who, more) in enumerate(entries)
    )
    text = "".join(lines)
    return lambda folder: write(folder / "refs.bib", text)


def table(text: str) -> Callable[[Path], Path]:
    return lambda folder: write(folder / "papers.csv", text)


def of_ours(*records: dict[str, Any]) -> Callable[[Path], Path]:
    return lambda folder: json_lines(folder / "own.jsonl", records)


OAK, ELM = "Bark of the oak", "Bark of the elm"


@each_row(
    ("source", "papers", "told"),
    [
        # Chapters of one book, by one author: the DOI is that of the book, or cut.
        (bib((OAK, "Ash, A.", "doi={10.5555/book}"), (ELM, "Ash, A.", "doi={10.5555/book}")), 2,
         "1 identifiers of several titles not used to merge (10.5555/book: 2)"),
        (bib(("Chapter 1", "Ash, A.", "isbn={9788578110796}"),
             ("Chapter 2", "Ash, A.", "isbn={9788578110796}")), 2, None),
        (bib((OAK, "Ash, A.", r"doi={10.1007/978-3-030-12345-6{\_}1}"),
             (OAK, "Ash, A.", r"doi={10.1007/978-3-030-12345-6{\_}2}")), 2, None),
        # What one identifier joins is one, whatever else a record lacks.
        (bib((OAK, "Ash, A.", "doi={10.5555/x}"), (f"{OAK}: a study", "", "doi={10.5555/X.}")), 1,
         "1 records merged with others (by DOI: 1)"),
        # Defaults and templates of programs.
        (bib((OAK, "Ash, A.", "pmid={0}"), (ELM, "Elm, E.", "pmid={0}")), 2, None),
        (bib((OAK, "Ash, A.", "eprint={arXiv:1011.1669v3}"),
             (ELM, "Elm, E.", "eprint={arXiv:1011.1669v3}")), 2,
         "placeholder identifiers ignored: arxiv:1011.1669: 2"),
        (bib((OAK, "Ash, A.", "doi={10.0000/abc}"), (ELM, "Elm, E.", "doi={10.0000/abc}")), 2,
         "placeholder identifiers ignored: 10.0000/: 2"),
        (bib((OAK, "Ash, A.", "doi={10.1000/xyz123}"), (ELM, "Elm, E.", "doi={10.1000/xyz123}")),
         2, "placeholder identifiers ignored: 10.1000/xyz: 2"),
        (table(f"title,authors,doi\n{OAK},Ash A.,10.xxxx/xxxxx\n{ELM},Elm E.,10.xxxx/xxxxx\n"), 2,
         None),
        (table(f"Title,Authors,Source title,EID\n{OAK},Ash A.,J,scopus\n{ELM},Elm E.,J,scopus\n"),
         2, "placeholder identifiers ignored: eid:scopus: 2"),
        # One id twice in a table is no id.
        (table(f"id,title,authors\nx,{OAK},Ash A.\nx,{ELM},Elm E.\n"), 2,
         "1 identifiers of several titles not used to merge (x: 2)"),
        (table(f"pmid,title,authors\n7,{OAK},Ash A.\n7,{OAK},Ash A.\n"), 1,
         "1 records merged with others (by another identifier: 1)"),
        (of_ours({"id": "a", "title": OAK, "doi": "10.5555/x"},
                 {"id": "b", "title": ELM, "doi": "10.5555/x"}), 2, None),
    ],
)  # fmt: skip
def test_several_papers_stay_several(
    tmp_path: Path, source: Callable[[Path], Path], papers: int, told: str | None
) -> None:
    found, report = read(source(tmp_path), folder=tmp_path)
    assert len(found) == papers
    assert told is None or told in [*report.lines(), *report.loss_lines()]
    assert not any("10.0000" in name or "xxxx" in name or "scopus" in name for name in found)


def test_an_identifier_of_several_works_names_none_of_them(tmp_path: Path) -> None:
    """Neither as an id nor as an alias; a file of ours is believed."""
    own = json_lines(tmp_path / "own.jsonl", [{"id": "p", "title": RIVERS, "aliases": ["pmid:7"]}])
    papers, _ = read(
        write(tmp_path / "a.csv", f"pmid,title,authors\n7,{OAK},Ash A.\n7,{ELM},Elm E.\n"),
        own,
        folder=tmp_path,
    )
    assert [paper["aliases"] or [] for paper in papers.values()] == [[], [], ["pmid:7"]]
    assert not any(name.startswith("pmid") for name in papers)


@given(
    st.lists(
        st.tuples(
            st.sampled_from((OAK, ELM, RIVERS, f"{RIVERS}: a survey")),
            st.sampled_from(("Ash, Ada", "Ash, A.", "Elm, Eve")),
            st.sampled_from(("", "doi={10.5555/a}", "doi={10.5555/b}", "pmid={7}", "pmid={8}")),
        ),
        min_size=1,
        max_size=5,
    ),
    st.randoms(),
)
@few(15)
def test_lines_in_any_order_and_twice_are_the_same_papers(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[tuple[str, str, str]],
    random: Random,
) -> None:
    def titles(*some: tuple[str, str, str]) -> list[tuple[str, str]]:
        folder = tmp_path_factory.mktemp("lines")
        found, _ = read(bib(*some)(folder), folder=folder)
        told = ((paper["title"], paper["doi"] or "") for paper in found.values())
        return sorted(told)

    once = titles(*entries)
    assert titles(*random.sample(entries, len(entries))) == once
    stranger = ("How glaciers carve a wide valley", "Oak, Olaf", "doi={10.5555/other}")
    assert sorted(titles(stranger, *entries, *entries)) == sorted(
        [*once, (stranger[0], "10.5555/other")]
    )
