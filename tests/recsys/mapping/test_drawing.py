"""Maps: every paper once, nothing newer than the draft, equal for equal input."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import DraftError, MissingExtraError, NothingFound
from recsys.mapping import Map, draw_map, gaps_in_words, map_file, map_page, map_view
from recsys.mapping.drawing import MOST, widest_gaps
from recsys.mapping.grouping import GROUPS, PAPERS, groups_of
from recsys.mapping.naming import SIZE, place_names, text_width
from recsys.mapping.phrases import LONGEST_LABEL, UNNAMED, label_groups
from recsys.mapping.placing import LEAST_RADIUS, MOST_RADIUS, SMALL, WIDE, Frame, lay_out, radii_of
from recsys.query.question_schema import Filters
from recsys.query.resolve_draft import resolve_draft
from recsys.recommend import Recommender
from recsys.records import Draft, Paper
from recsys.retrieval.propose import StageOne
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.words import tokens
from tests.pipelines.small_index import open_small_index, write_small_index
from tests.recsys.mapping.drawn_worlds import draw, draw_world, topical
from tests.rows import each_row
from tests.tiny import World, random_world, unit

ROOT = Path(__file__).parents[3]
DRAFT = Draft(
    title="Rivers and glaciers, measured again",
    references=("rivers-03", "rivers-04", "glaciers-02"),
    as_of=2008,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Recommender:
    return open_small_index(write_small_index(tmp_path_factory.mktemp("map") / "small.index"))


@pytest.fixture(scope="module")
def drawn(small: Recommender) -> Map:
    return draw_map(small, resolve_draft(small.collection, DRAFT))


def drawable(world: World) -> Map | None:
    try:
        return draw_world(world)
    except NothingFound as error:
        assert "No paper is around the draft" in error.what and error.hint
        return None


@given(st.integers(0, 100_000))
def test_any_small_world_is_drawn_whole_or_refused_in_words(seed: int) -> None:
    world = random_world(seed)
    found = drawable(world)
    if found is None:
        return
    ids = [node.paper.id for node in found.nodes]
    assert 1 <= len(ids) == len(set(ids)) <= MOST
    assert world.draft.paper_id not in ids
    years = {node.paper.year for node in found.nodes if node.paper.year is not None}
    assert all(year <= (world.draft.as_of or 0) for year in years)
    for node in found.nodes:
        band = found.groups[node.group]
        assert 0 < node.x < found.frame.width
        assert 0 < band.top < node.y < band.bottom < found.height
        assert all(0 <= other < len(ids) for other in node.links)
    cited = {node.paper.id for node in found.nodes if node.kind == "cited"}
    assert cited <= set(world.draft.references)
    assert [each.near for each in found.groups] == [
        sum(found.nodes[at].kind != "cited" for at in found.members(place))
        for place in range(len(found.groups))
    ]
    assert len(set(found.gaps)) == len(found.gaps) <= 3
    view = map_view(found)
    assert all(view.count(f'id="map-paper-{place + 1}"') == 1 for place in range(len(ids)))
    ranks = sorted(node.rank for node in found.nodes if node.kind != "cited")
    assert ranks == list(range(1, len(ranks) + 1))
    assert map_page(found) == map_page(draw_world(world))


def test_links_are_the_citations_of_papers_that_are_older_than_the_draft(drawn: Map) -> None:
    place = {node.paper.id: at for at, node in enumerate(drawn.nodes)}
    rivers = drawn.nodes[place["rivers-05"]]
    assert {drawn.nodes[at].paper.id for at in rivers.links} == {"rivers-03", "rivers-04"}
    newest = drawn.nodes[place["rivers-08"]]
    assert newest.paper.year == 2008 and newest.links == ()


def test_what_the_draft_cites_is_told_from_what_is_suggested(drawn: Map) -> None:
    kinds = {node.paper.id: node.kind for node in drawn.nodes}
    assert {each for each, kind in kinds.items() if kind == "cited"} == set(DRAFT.references)
    assert sum(kind == "suggested" for kind in kinds.values()) == 20


def test_suggestions_are_what_is_recommended(small: Recommender, drawn: Map) -> None:
    answer = small.answer(resolve_draft(small.collection, DRAFT), 20)
    recommended = {each.paper.id for each in answer.recommendations}
    assert {node.paper.id for node in drawn.nodes if node.kind == "suggested"} == recommended


def test_filters_leave_out_what_is_not_cited(small: Recommender) -> None:
    question = resolve_draft(small.collection, DRAFT)
    found = draw_map(small, question, filters=Filters(min_year=2005))
    others = [node.paper.year or 0 for node in found.nodes if node.kind != "cited"]
    assert others and min(others) == 2005
    assert {node.paper.id for node in found.nodes if node.kind == "cited"} == set(DRAFT.references)


def test_groups_are_the_topics_and_the_one_that_is_not_cited_is_a_gap() -> None:
    world = topical(90)
    found = draw_world(replace(world, draft=replace(world.draft, references=("p000", "p003"))))
    for group in range(len(found.groups)):
        topics = [int(found.nodes[at].paper.id[1:]) % 3 for at in found.members(group)]
        assert max(map(topics.count, range(3))) >= 0.8 * len(topics)
    assert found.groups[found.gaps[0]].near > 0


def test_of_a_long_bibliography_the_closest_are_drawn_and_the_others_counted() -> None:
    references = tuple(f"p{row:03}" for row in range(0, 400, 4))
    found = draw_large(references)
    assert sum(node.kind == "cited" for node in found.nodes) == 75
    assert found.hidden == 25
    assert "25 more found no place" in map_view(found)


def draw_large(references: tuple[str, ...] = ()) -> Map:
    world = topical(400)
    draft = replace(world.draft, references=references)
    vectors = world.collection.vectors[:]
    return draw(world.papers, vectors, draft, world.vector, stage_one=StageOne())


@each_row(
    "papers",
    [
        [Paper("a", "One paper alone")],
        [Paper("a", ""), Paper("b", "", year=1999)],
        [Paper(f"p{i:02}", f"Without year or link {i}") for i in range(40)],
        [Paper(f"p{i:02}", "Same title", year=2001) for i in range(40)],
    ],
)
def test_poor_corpora_are_drawn(papers: list[Paper]) -> None:
    several = np.random.default_rng(1).standard_normal((len(papers), 8))
    for vectors in (unit(several), unit(np.ones((len(papers), 8)))):
        found = draw(papers, vectors, Draft(title="Anything"), vectors[0])
        assert len(found.nodes) <= len(papers) and found.nodes
        assert all(group.label for group in found.groups)
        assert map_page(found).count('<tr id="map-paper-') == len(found.nodes)


def test_a_draft_without_anything_is_refused(small: Recommender) -> None:
    with pytest.raises(DraftError):
        draw_map(small, resolve_draft(small.collection, Draft()))


def test_a_draft_before_all_papers_is_told_so() -> None:
    vectors = unit(np.eye(8)[:1])
    with pytest.raises(NothingFound, match="0 known in 1900"):
        draw([Paper("a", "One", year=2000)], vectors, Draft(title="One", as_of=1900), vectors[0])


def test_equal_input_gives_equal_bytes_in_another_process(drawn: Map, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; import sys\n"
        "from recsys.query.resolve_draft import resolve_draft\n"
        "from recsys.mapping import draw_map, map_file\n"
        "from tests.pipelines.small_index import open_small_index, write_small_index\n"
        "from tests.recsys.mapping.test_drawing import DRAFT\n"
        "small = open_small_index(write_small_index(Path(sys.argv[1]) / 'small.index'))\n"
        "drawn = draw_map(small, resolve_draft(small.collection, DRAFT))\n"
        "sys.stdout.buffer.write(map_file(drawn).encode())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        env={"PYTHONHASHSEED": "7", "PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == map_file(drawn).encode()


def test_one_paper_more_moves_the_median_node_by_less_than_two_percent() -> None:
    from benchmarks.map_quality import median_shift

    full = topical(121)
    fewer = replace(full, papers=full.papers[:-1])
    before = draw(fewer.papers, full.collection.vectors[:-1], full.draft, full.vector)
    after = draw(full.papers, full.collection.vectors[:], full.draft, full.vector)
    assert median_shift(before, after) < 0.02


# Groups: what belongs together is together, in the order of the topic, whatever the names.


def blocks(sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Tie all pairs of each block, and no others: weights, and the block of each paper."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weights = (owner[:, None] == owner[None, :]).astype(float)
    np.fill_diagonal(weights, 0.0)
    return weights, owner


def names(count: int) -> list[str]:
    return [f"p{place:03}" for place in range(count)]


def test_blocks_are_found_and_lie_in_the_order_of_the_topic() -> None:
    weights, owner = blocks((12, 20, 8, 15, 9))
    topic = np.array([3.0, 1.0, 4.0, 0.0, 2.0])[owner]
    found = groups_of(weights, weights, names(len(owner)), topic)
    for block in range(5):
        assert len(set(found[owner == block].tolist())) <= 2
    for group in range(int(found.max()) + 1):
        assert len(set(owner[found == group].tolist())) == 1
    means = [float(topic[found == group].mean()) for group in range(int(found.max()) + 1)]
    assert means == sorted(means)


def test_a_map_has_at_most_seven_groups_and_a_small_one_fewer() -> None:
    rng = np.random.default_rng(0)
    for count, groups in ((150, GROUPS), (3 * PAPERS, 3), (PAPERS, 1), (1, 1)):
        weights = rng.random((count, count))
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
        found = groups_of(weights, weights, names(count), rng.random(count))
        assert len(found) == count and int(found.max()) + 1 <= groups
        assert set(found.tolist()) == set(range(int(found.max()) + 1))


def test_without_networkx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.zeros((20, 20))
    assert len(groups_of(nothing, nothing, names(20), np.arange(20.0))) == 20
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"A map needs networkx.*citerec\[serve\]"):
        groups_of(nothing, nothing, names(20), np.arange(20.0))


@each_row(
    ("groups", "cited", "suggested", "chances", "gaps"),
    [
        # As wide as 1 / 1.5, 0.6 / 0.5, 0.9 / 0.5; of the last group, all is cited.
        (
            [0, 0, 0, 0, 1, 1, 2, 2, 3],
            {0, 8},
            {1, 4},
            [0, 0.5, 0.5, 0, 0.3, 0.3, 0.9, 0, 0],
            (2, 1, 0),
        ),
        # The second group is cited most, and of the third more than a half: they are no gaps.
        ([0] * 3 + [1] * 6 + [2], {0, 3, 4, 9}, set(), [0, 0.1, 0.1] + [0.9] * 7, (0,)),
        # The first has three suggested papers and no citation: it goes before a wider one.
        ([0] * 3 + [1] * 4, {3}, {0, 1, 2}, [0.1] * 3 + [0.9] * 4, (0, 1)),
        ([0, 1, 2, 3], set(), set(), [0.5] * 4, (0, 1, 2)),
        ([0, 0], {0, 1}, set(), [0, 0], ()),
    ],
)
def test_gaps_are_what_is_expected_over_what_is_cited(
    groups: list[int],
    cited: set[int],
    suggested: set[int],
    chances: list[float],
    gaps: tuple[int, ...],
) -> None:
    has, shown = (
        np.array([place in those for place in range(len(groups))]) for those in (cited, suggested)
    )
    assert widest_gaps(np.array(groups), has, shown, np.array(chances, np.float32)) == gaps


def test_a_gap_is_said_with_the_three_papers_that_the_answer_ranks_first(drawn: Map) -> None:
    [said, *_], group = gaps_in_words(drawn), drawn.gaps[0]
    missing = [drawn.nodes[at] for at in drawn.missing(group)]
    uncited = [drawn.nodes[at] for at in drawn.members(group) if drawn.nodes[at].kind != "cited"]
    assert missing == sorted(uncited, key=lambda node: node.rank)[:3]
    assert said.startswith(drawn.groups[group].in_words) and "Most relevant: " in said


# Labels: phrases that tell a group from the others, as people write them.

RIVERS = (
    "A study of braided rivers in 2019",
    "Braided rivers: new measurements",
    "Measuring braided rivers with GPUs",
    "On the flow of braided rivers",
)
GLACIERS = (
    "Glacier retreat and t-SNE maps",
    "Towards glacier retreat models",
    "Glacier retreat, measured again",
    "Novel approaches to glacier retreat",
)


def labels(*groups: tuple[str, ...]) -> tuple[str, ...]:
    texts = [(title, "") for group in groups for title in group]
    rarity = {word: 1.0 for title, _ in texts for word in tokens(title)}
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return label_groups(texts, rarity, owner)


def test_groups_are_called_by_their_own_phrases() -> None:
    first, second = labels(RIVERS, GLACIERS)
    assert first.startswith("braided rivers") and second.startswith("glacier retreat")


def test_a_phrase_is_whole_and_spelt_as_in_running_text() -> None:
    titles = ("Deep Neural Networks for Reefs", "Herpes Simplex Virus in Reefs", "Reefs of Palau")
    abstract = "On deep neural networks. The herpes simplex virus of Palau; reefs in Palau."
    groups = np.array([0, 0, 1, 1, 2, 2])
    texts = [(title, abstract if at % 2 else "") for at, title in enumerate(np.repeat(titles, 2))]
    rarity = {word: 1.0 for text in texts for word in tokens(" ".join(text))}
    assert label_groups(texts, rarity, groups) == (
        "deep neural networks", "herpes simplex virus", "Palau",
    )  # fmt: skip


def test_no_two_groups_share_a_phrase() -> None:
    found = labels(RIVERS, RIVERS, GLACIERS)
    phrases = [phrase for label in found[:2] for phrase in label.split(" · ")]
    assert len(phrases) == len(set(phrases))


def test_a_group_without_a_telling_phrase_is_called_after_its_first_paper() -> None:
    assert labels(("The new study",))[0] == "The new study"
    assert labels(("",))[0] == UNNAMED
    long = "The new study " * 20
    assert labels((long,))[0].endswith("...") and len(labels((long,))[0]) <= LONGEST_LABEL


@given(st.lists(st.text(max_size=40), min_size=1, max_size=12), st.integers(1, 4))
def test_any_titles_give_labels_on_one_line(titles: list[str], count: int) -> None:
    texts = [(title, " ".join(titles)) for title in titles]
    rarity = {word: 1.0 for title in titles for word in tokens(title)}
    groups = np.minimum(np.arange(len(titles)), count - 1)
    found = label_groups(texts, rarity, groups)
    assert len(found) == int(groups.max()) + 1
    assert all(label and len(label) <= LONGEST_LABEL for label in found)
    assert found == label_groups(texts, rarity, groups)


# Places: within the frame, by year, and not on top of each other.


def test_later_papers_stand_further_right_and_unknown_years_at_the_left() -> None:
    years = np.array([1980, 2001, 2005, 2010, UNKNOWN_YEAR] + [2000] * 40, np.int16)
    found = lay_out(np.arange(45.0), years, np.zeros(45, np.int64), np.full(45, 3.0), 2012)
    assert found.x[4] < found.x[0] < found.x[1] < found.x[2] < found.x[3] < found.draft_x
    assert [tick.label for tick in found.ticks][:2] == ["no year", "<2000"]
    assert found.ticks[-1].label == "2012"


@given(
    st.lists(
        st.tuples(st.integers(1990, 2020) | st.just(UNKNOWN_YEAR), st.integers(0, 6)),
        min_size=1,
        max_size=150,
    ),
    st.sampled_from([WIDE, SMALL]),
)
def test_any_papers_lie_in_the_bands_of_their_groups(
    papers: list[tuple[int, int]], frame: Frame
) -> None:
    years = np.array([year for year, _ in papers], np.int16)
    groups = np.unique([group for _, group in papers], return_inverse=True)[1]
    radii = np.full(len(papers), MOST_RADIUS)
    found = lay_out(np.arange(len(papers), dtype=float), years, groups, radii, 2020, frame=frame)
    assert ((found.x > 0) & (found.x < found.draft_x)).all()
    assert (found.y > found.tops[groups]).all() and (found.y < found.bottoms[groups]).all()
    assert found.bottoms.max() < found.height


def test_papers_of_a_full_map_do_not_cover_each_other() -> None:
    rng = np.random.default_rng(3)
    years = rng.integers(1995, 2021, 150).astype(np.int16)
    radii = radii_of(rng.integers(0, 40, 150))
    found = lay_out(rng.random(150), years, np.arange(150) % 7, radii, 2020)
    apart = np.hypot(found.x[:, None] - found.x, found.y[:, None] - found.y)
    np.fill_diagonal(apart, np.inf)
    assert (apart > 0.7 * (radii[:, None] + radii)).all()
    assert radii_of(np.array([0, 10**6])).tolist() == [LEAST_RADIUS, MOST_RADIUS]


@given(
    st.lists(st.tuples(st.floats(0, 300), st.floats(0, 90), st.text(max_size=20)), max_size=40),
    st.booleans(),
)
def test_no_name_covers_another_nor_a_dot_nor_a_label(
    papers: list[tuple[float, float, str]], far: bool
) -> None:
    dots = np.array([(x, y, 4.0) for x, y, _ in papers]).reshape(-1, 3)
    label, bounds = np.array([[0.0, 0.0, 120.0, 20.0]]), np.tile([0.0, 0.0, 300.0, 90.0], (40, 1))
    wanted = [(at, text, far) for at, (_, _, text) in enumerate(papers)]
    boxes = [label[0]]
    for name in place_names(wanted, dots, label, bounds):
        width = text_width(name.text)
        left = name.x - width * {"start": 0, "middle": 0.5, "end": 1}[name.anchor]
        box = np.array([left, name.y - SIZE, left + width, name.y + SIZE / 4])
        assert box.min() >= -1e-6 and box[2] <= 300 + 1e-6 and box[3] <= 90 + 1e-6
        for other in boxes:
            assert (box[:2] >= other[2:] - 1e-6).any() or (other[:2] >= box[2:] - 1e-6).any()
        near = np.clip(dots[:, :2], box[:2], box[2:]) - dots[:, :2]
        others = np.arange(len(dots)) != name.node
        assert (np.hypot(*near.T)[others] >= 4.0 - 1e-6).all()
        boxes.append(box)
