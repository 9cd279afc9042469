from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recsys.pipelines.online.fetch_plan import Allowance, FetchQuestion, plan_of, planned
from recsys.pipelines.online.snowball import Snowball, snowball
from recsys.pipelines.online.sources import Kind
from recsys.records import Reference
from tests.online.memory_source import MemorySource, facts
from tests.online.small_world import known_of, small_world
from tests.rows import each_row

WORLD = small_world()
DRAFT = FetchQuestion(
    "Edge crossing in graph drawing",
    "We study the readability of a layout.",
    known_of([WORLD[number] for number in (93, 120, 153, 180)]),
    papers=60,
)


def roll(question: FetchQuestion, source: MemorySource, most: int | None = None) -> Snowball:
    plan = plan_of(question, [source], most=most)
    return snowball(question, source, Allowance(plan.calls))


def ids(works: Sequence[Reference]) -> list[str]:
    return [work.id or "" for work in works]


def test_the_works_around_a_draft_are_fetched_its_references_first() -> None:
    found = roll(DRAFT, MemorySource(WORLD))
    assert len(found.works) == len(set(ids(found.works))) == 60
    assert set(ids(found.works[:4])) == {"W1093", "W1120", "W1153", "W1180"}
    topic = [
        number for number in map(int, (each[1:] for each in ids(found.works))) if number % 3 == 1
    ]
    assert len(topic) > 45  # W1000 is of topic 0, and 1000 % 3 is 1.


@given(
    seed=st.integers(0, 5),
    papers=st.integers(1, 200),
    given_=st.lists(st.integers(0, 119), unique=True, max_size=12),
    as_of=st.none() | st.integers(1995, 2022),
    most=st.none() | st.integers(1, 60),
    page=st.sampled_from([3, 10, 100]),
)
def test_no_more_is_asked_than_planned_and_no_more_or_newer_is_taken(
    seed: int, papers: int, given_: list[int], as_of: int | None, most: int | None, page: int
) -> None:
    world = small_world(120, seed)
    source = MemorySource(world, facts(page=page, batch=page))
    question = FetchQuestion(
        "Ray casting", None, known_of([world[n] for n in given_]), papers=papers, as_of=as_of
    )
    found = roll(question, source, most)
    plan = plan_of(question, [source], most=most)
    assert source.requests <= plan.calls <= plan.requests
    assert plan.requests <= (most or plan.requests)
    assert len(found.works) <= papers
    assert all(as_of is None or (w.year is not None and w.year <= as_of) for w in found.works)


def test_what_was_published_in_the_year_of_the_draft_tells_of_no_links() -> None:
    old = [
        Reference(id=f"W{n}", ids=(f"openalex:W{n}",), title=f"t{n}", year=2000) for n in range(9)
    ]
    same_year = Reference(
        id="W20", ids=("openalex:W20",), title="Edge", year=2010, cited_ids=("W1", "W2")
    )
    source = MemorySource([*old, same_year])
    later = roll(FetchQuestion("Edge drawing", as_of=2011), source)
    assert set(ids(later.works)) == {"W20", "W1", "W2"}
    assert ids(roll(FetchQuestion("Edge drawing", as_of=2010), source).works) == ["W20"]


def test_the_draft_itself_is_left_out_where_it_is_public_already() -> None:
    draft = FetchQuestion(WORLD[200].title or "", None, papers=50)
    found = roll(draft, MemorySource(WORLD))
    assert found.works and "W1200" not in ids(found.works)


def test_a_query_fetches_what_its_words_find_from_a_year_on() -> None:
    query = FetchQuestion("citation recommendation", since=2010, papers=30, query=True)
    found = roll(query, MemorySource(WORLD))
    assert len(found.works) == 30
    assert min(work.year or 0 for work in found.works) >= 2010


@each_row("kind", [Kind.CITING, Kind.FIND, Kind.SEARCH, Kind.WORKS])
def test_a_source_is_not_asked_for_what_it_cannot_tell(kind: Kind) -> None:
    source = MemorySource(WORLD, facts(without=kind))
    found = roll(DRAFT, source)
    assert kind not in source.asked
    assert found.works
    assert planned(DRAFT, source).cost.requests < planned(DRAFT, MemorySource(WORLD)).cost.requests
