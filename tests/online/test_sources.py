"""What every source of the table does, each against its server."""

from collections.abc import Callable, Sequence
from datetime import date

import pytest

from recsys.errors import AnswerNotUnderstood, InputError
from recsys.pipelines.online.sources import SOURCES, Kind, Source, facts_of, full_names, source
from recsys.records import Reference
from tests.online.loopback import Fault
from tests.online.world import CATALOGUE, COUNT, GONE, NEW, OLD, Servers, every_key

NAMES = sorted(SOURCES)
PAPERS = {paper.id: paper for paper in CATALOGUE.papers}
SITES_OF = {"arxiv": ("arxiv", "arxiv-oai")}


def named(name: str, number: int) -> str:
    """Return how a source is asked for paper so-and-so."""
    ways: dict[str, Callable[[], str]] = {
        "arxiv": lambda: f"arxiv:2004.{number:05d}",
        "pubmed": lambda: f"pmid:{9000 + number}",
        "zotero": lambda: f"zotero:KEY{number - 1:05d}",
    }
    return ways.get(name, lambda: f"doi:10.5555/{number}")()


def own_name(name: str, number: int) -> str:
    """Return the name by which a source is asked what cites a paper."""
    own = {"openalex": f"openalex:W{2_000_000_000 + number - 1}"}
    return own.get(name, named(name, number))


def asked_of(servers: Servers, name: str) -> int:
    return sum(len(servers[site].asked) for site in SITES_OF.get(name, (name,)))


def numbers(works: Sequence[Reference]) -> list[int]:
    return [int((work.doi or "").removeprefix("10.5555/")) for work in works]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def asked(servers: Servers, name: str) -> Source:
    return source(name, servers.client())


def test_works_come_in_the_order_of_their_names(asked: Source, name: str) -> None:
    found = list(asked.works([named(name, number) for number in (30, 7, 119, 7)]))
    assert numbers(found) == [30, 7, 119]
    for work, number in zip(found, (30, 7, 119), strict=True):
        paper = PAPERS[f"10.5555/{number}"]
        assert (work.title, work.year, work.authors) == (paper.title, paper.year, paper.authors)
        assert work.abstract == (paper.abstract if asked.facts.abstracts else None)


def test_more_names_than_one_batch_are_all_asked_for(
    asked: Source, name: str, servers: Servers
) -> None:
    wanted = [number for number in range(1, COUNT + 1) if f"10.5555/{number}" != GONE]
    found = list(asked.works([named(name, number) for number in wanted]))
    assert numbers(found) == wanted
    assert asked_of(servers, name) <= asked.facts.cost(Kind.WORKS, len(wanted)).requests


def test_what_is_not_known_is_left_out(asked: Source, name: str) -> None:
    gone = int(GONE.removeprefix("10.5555/"))
    assert list(asked.works([named(name, gone), "isbn:1", named(name, 77777)])) == []
    assert numbers(list(asked.works([named(name, gone), named(name, 5)]))) == [5]
    assert list(asked.works([])) == []


def test_references_are_of_works_that_the_source_knows(asked: Source, name: str) -> None:
    (work,) = asked.works([named(name, 90)])
    if not asked.facts.references:
        assert not work.cited_ids and not work.cites
        return
    names = [f"{asked.facts.schemes[0]}:{each}" for each in work.cited_ids]
    names += [full_names(each)[0] for each in work.cites]
    cited = list(asked.works(names))
    assert sorted(numbers(cited)) == [30, 45, 83]


def test_nothing_is_asked_before_a_work_is_taken(
    asked: Source, name: str, servers: Servers
) -> None:
    asked.works([named(name, 3)])
    asked.search("beetle", most=5)
    asked.citing([own_name(name, 3)], most=5)
    asked.changed("beetle", since=date(2000, 1, 1), most=5)
    assert asked_of(servers, name) == 0


def test_a_title_is_found_where_a_second_field_agrees(asked: Source, name: str) -> None:
    paper = PAPERS["10.5555/61"]
    title = paper.title.upper()
    by_year = asked.find(Reference(title=title, year=(paper.year or 0) + 1))
    by_author = asked.find(Reference(title=title, authors=("A. Ash61",)))
    assert by_year is not None and by_author is not None
    assert numbers([by_year, by_author]) == [61, 61]
    assert asked.find(Reference(title=title)) is None
    assert asked.find(Reference(title=title, year=1850, authors=("Zoe Zorn",))) is None
    assert asked.find(Reference(title="Something quite different", year=2000)) is None
    assert asked.find(Reference(year=2000)) is None


def test_what_cites_a_work_is_found_up_to_a_year(
    asked: Source, name: str, servers: Servers
) -> None:
    if Kind.CITING not in asked.facts.kinds:
        assert list(asked.citing([own_name(name, 20)], most=10)) == []
        assert asked.facts.cost(Kind.CITING, 10).requests == 0
        return
    expected = {40, 41, 60, 61, 62, 27}
    assert set(numbers(list(asked.citing([own_name(name, 20)], most=10)))) == expected
    assert asked_of(servers, name) <= asked.facts.cost(Kind.CITING, 10).requests
    until = {n for n in expected if (PAPERS[f"10.5555/{n}"].year or 0) <= 2010}
    found = list(asked.citing([own_name(name, 20)], most=10, until=2010))
    assert set(numbers(found)) == until and len(until) < len(expected)


def test_a_search_goes_through_pages_until_it_has_enough(
    asked: Source, name: str, servers: Servers
) -> None:
    found = numbers(list(asked.search("forest", most=COUNT)))
    assert len(found) == len(set(found)) == COUNT - 1
    assert asked_of(servers, name) <= asked.facts.cost(Kind.SEARCH, COUNT).requests
    assert len(list(asked.search("forest", most=12))) == 12


def test_a_search_keeps_to_the_years(asked: Source) -> None:
    for since, until in ((2001, 2003), (None, 1995), (2015, None)):
        found = list(asked.search("forest", most=COUNT, since=since, until=until))
        years = {work.year for work in found}
        every = {paper.year for paper in PAPERS.values()}
        assert years == {y for y in every if (since or 0) <= (y or 0) <= (until or 9999)}


def test_what_changed_since_a_day_is_found(asked: Source, name: str, servers: Servers) -> None:
    found = list(asked.changed("forest", since=date(2015, 1, 1), most=COUNT))
    assert {work.year for work in found} == set(range(2015, 2020))
    assert asked_of(servers, name) <= asked.facts.cost(Kind.CHANGED, COUNT).requests
    assert len(list(asked.changed("forest", since=date(2015, 1, 1), most=3))) == 3


@pytest.mark.parametrize("fault", [Fault.NULLS, Fault.WRONG_TYPES])
def test_odd_fields_cost_no_work(asked: Source, name: str, servers: Servers, fault: Fault) -> None:
    servers[name].order(*[fault] * 9)
    (work,) = list(asked.search("honey", most=1))
    assert "honey" in (work.title or "")


def test_an_answer_of_another_shape_is_told(asked: Source, name: str, servers: Servers) -> None:
    servers[name].order(*[Fault.NOT_A_LIST] * 9)
    with pytest.raises(AnswerNotUnderstood) as caught:
        list(asked.works([named(name, 3)]))
    assert name in str(caught.value).lower() and caught.value.hint


@pytest.mark.parametrize("name", ["openalex", "crossref", "semanticscholar", "arxiv"])
def test_a_cursor_that_expired_begins_anew(name: str, servers: Servers) -> None:
    asked = source(name, servers.client(keys=every_key()))
    site = servers["arxiv-oai" if name == "arxiv" else name]
    site.order(None, Fault.EXPIRED)
    if name in ("semanticscholar", "arxiv"):
        found = list(asked.changed("forest", since=date(1980, 1, 1), most=COUNT))
    else:
        found = list(asked.search("forest", most=COUNT))
    assert sorted(numbers(found)) == [n for n in range(1, COUNT + 1) if f"10.5555/{n}" != GONE]


@pytest.mark.parametrize("name", ["openalex", "crossref"])
def test_a_cursor_that_always_expires_is_an_error(name: str, servers: Servers) -> None:
    asked = source(name, servers.client(keys=every_key()))
    servers[name].order(*[None, Fault.EXPIRED] * 9)
    with pytest.raises(AnswerNotUnderstood, match="400"):
        list(asked.search("forest", most=COUNT))


@pytest.mark.parametrize("name", ["openalex", "crossref"])
def test_a_merged_name_finds_the_work_that_it_is_now(name: str, servers: Servers) -> None:
    asked = source(name, servers.client())
    found = list(asked.works([f"doi:{OLD}", "doi:10.5555/3"]))
    assert numbers(found) == [int(NEW.removeprefix("10.5555/")), 3]
    assert f"doi:{OLD}" in full_names(found[0])


def test_a_source_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match="Did you mean 'crossref'"):
        facts_of("crosref")


def test_facts_say_what_the_table_says(name: str) -> None:
    facts = facts_of(name)
    assert facts.name == name
    assert facts.terms.startswith("https://") and facts.licence and facts.pace >= 0
    assert facts.batch > 0 < facts.page and facts.schemes
