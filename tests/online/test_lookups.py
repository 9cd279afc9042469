from dataclasses import replace

from recsys.pipelines.online.fetch_plan import Allowance
from recsys.pipelines.online.snowball import look_up
from recsys.pipelines.online.sources import Kind
from recsys.records import Reference
from tests.online.memory_source import MemorySource
from tests.online.small_world import known_of, small_world

WORLD = small_world(60)
MANY = 100


def test_an_identifier_goes_before_the_title() -> None:
    by_doi, by_title = known_of([WORLD[11], WORLD[20]])
    source = MemorySource(WORLD)
    found = look_up(source, [by_doi, by_title], Allowance(MANY))
    assert [work.id for work in found.named] == ["W1011"]
    assert [work.id for work in found.titled] == ["W1020"]
    assert source.asked == {Kind.WORKS: 1, Kind.FIND: 1}


def test_identifiers_of_one_scheme_are_asked_for_together() -> None:
    references = [replace(each, title=None) for each in known_of(WORLD) if each.doi]
    source = MemorySource(WORLD)
    found = look_up(source, references, Allowance(MANY))
    assert len(found.named) == len(references) > source.facts.batch
    assert source.requests == 2


def test_a_wrong_identifier_gives_way_to_the_title() -> None:
    wrong = replace(known_of([WORLD[20]])[0], doi=WORLD[13].doi)
    found = look_up(MemorySource(WORLD), [wrong], Allowance(MANY))
    assert [work.id for work in found.titled] == ["W1020"]
    assert found.named == ()


def test_what_is_not_found_is_told_apart_from_what_was_not_asked() -> None:
    unknown = Reference(title="Unheard of", year=1990)
    nameless = Reference(key="a reference of which nothing is known")
    first = look_up(MemorySource(WORLD), [nameless, unknown], Allowance(1))
    assert first.missing == (nameless, unknown)
    poor = look_up(MemorySource(WORLD), [unknown], Allowance(0))
    assert (poor.missing, poor.unasked) == ((), (unknown,))
