"""Cited works are found by where they were printed: without volume, without initials, by title."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.work_stream import Found, WorkStream
from recsys.pipelines.corpora.clusters import find_clusters
from recsys.pipelines.corpora.collect import linked_works
from recsys.pipelines.corpora.link_citations import LinkedWorks, Rule
from recsys.pipelines.corpora.merge_works import Papers, merge
from recsys.pipelines.corpora.paper_names import cited_as, cited_as_all, printed_place
from recsys.pipelines.corpora.source_intake import SourceIntake
from recsys.pipelines.corpora.works import Works
from recsys.records import Reference
from tests.rows import each_row


@dataclass(frozen=True, slots=True)
class Graph:
    """What works came to, and what they cite."""

    merged: Papers
    papers: list[dict[str, Any]]
    linked: LinkedWorks


def graph_of(*works: Reference) -> Graph:
    with TemporaryDirectory() as place:
        folder = Path(place)
        with closing(SourceIntake(folder, folder)) as intake:
            items = iter([Found(0, work, ()) for work in works])
            intake.read_stream(Path("works"), WorkStream("works", False, items))
            read = Works.of([intake.shard()], 1)
        merged = merge(read, find_clusters(read, folder, preprints=True), folder, "")
        (linked,) = linked_works(read, merged, folder)
        return Graph(merged, [row for _, b in merged.batches() for row in b.to_pylist()], linked)


def found(target: Reference, cited: Reference, *others: Reference) -> Rule | None:
    """Return the rule by which the target is found, None where another paper is."""
    linked = graph_of(target, *others, Reference(title="Citing things", cites=(cited,))).linked
    return Rule(linked.rules[0]) if int(linked.papers[0]) in (0, -1) else None


MEETING = Reference(title="Lamps at sea", authors=("Ada B. Smith",), year=2004, page="345")
ARTICLE = Reference(
    title="Lamps on land", authors=("Ada B. Smith",), year=2004, volume="12", page="345"
)


def test_a_paper_without_volume_is_found_by_author_year_and_page() -> None:
    cited = Reference(authors=("AB Smith",), year=2004, page="345")
    assert found(MEETING, cited) == Rule.PLACE
    assert printed_place(MEETING) == "smith a|y2004|345"


@each_row(
    "cited",
    [
        Reference(authors=("A Smith",), year=2005, page="345"),
        Reference(authors=("A Smith",), page="345"),
        Reference(authors=("A Smith",), year=2004, page="346"),
        Reference(authors=("B Smith",), year=2004, page="345"),
        Reference(authors=("A Smith",), year=2004, page="345", volume="12"),
    ],
)
def test_it_is_not_found_where_one_of_them_differs(cited: Reference) -> None:
    assert graph_of(MEETING, Reference(title="X", cites=(cited,))).linked.papers.tolist() in (
        [-1],
        [],
    )


def test_an_author_without_initial_is_found_by_surname_volume_and_page() -> None:
    cited = Reference(authors=("Smith",), year=2004, volume="12", page="345")
    assert found(ARTICLE, cited) == Rule.PLACE
    namesake = Reference(
        title="Other lamps", authors=("Carl Smith",), year=2004, volume="12", page="345"
    )
    assert found(ARTICLE, cited, namesake) == Rule.AMBIGUOUS


def test_a_title_means_no_version_of_another_year_and_page() -> None:
    later = Reference(title="Lamps on land", authors=("A Smith",), year=2007, volume="3", page="99")
    assert found(ARTICLE, later) == Rule.OUTSIDE
    same_year = Reference(
        title="Lamps on land", authors=("A Smith",), year=2004, volume="12", page="349"
    )
    assert found(ARTICLE, same_year) == Rule.TITLE  # A page inside.
    next_year = Reference(title="Lamps on land", authors=("A Smith",), year=2005)
    assert found(ARTICLE, next_year) == Rule.TITLE


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.sampled_from(["smith a|12|3", "o b|y2004|45", "x|1|e2"])),
            st.one_of(st.none(), st.integers(1500, 2100)),
        ),
        max_size=6,
    )
)
def test_names_of_many_places_are_those_of_each(pairs: list[tuple[str | None, int | None]]) -> None:
    places = pa.array([place for place, _ in pairs], pa.string())
    years = pa.array([year for _, year in pairs], pa.int16())
    expected = [
        cited_as(place, year) if place and year is not None else None for place, year in pairs
    ]
    assert cited_as_all(places, years).to_pylist() == expected


def test_batches_that_stay_whole_are_merged_as_others_are() -> None:
    works = [Reference(title=f"Work {i}", year=2000, doi=f"10.1000/{i}") for i in range(1500)]
    again = Reference(title="Work 3", year=2000, doi="10.1000/3", abstract="Richer.")
    untitled = Reference(doi="10.1000/none", year=2001)
    graph = graph_of(*works, untitled, again, Reference(title="X", cites=(works[0],)))
    merged, papers = graph.merged, graph.papers
    assert merged.count == 1501
    assert merged.untitled == 1
    assert merged.paper_of[3] == merged.paper_of[1501]
    row = papers[int(merged.paper_of[3])]
    assert (row["title"], row["abstract"]) == ("Work 3", "Richer.")
    for number in (0, 1023, 1024, 1499):
        assert papers[int(merged.paper_of[number])]["title"] == f"Work {number}"
