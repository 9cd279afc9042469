"""Local evaluations: the same runs whatever happens on the way, and facts that are true."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recsys.app.wiring import data_folder
from recsys.errors import InputError, LeakageError
from recsys.eval.trec import ordered, read_qrels, read_run
from recsys.local.local_recommender import PassageRanker
from recsys.models.encoder import SeenQueries
from recsys.pipelines.local.evaluate_local import (
    LEARNED,
    LOCAL_SYSTEMS,
    SHOWN_DEPTH,
    AskedPassage,
    LocalEvaluation,
    LocalReport,
    evaluate_local,
    telling,
)
from recsys.pipelines.local.local_queries import LocalQueries, local_queries, pose_query
from recsys.ranking.ranker import TreeRanker
from recsys.records import Context
from recsys.store.artifacts import ENCODER, seal
from tests.ended import killed_at
from tests.pipelines.local.local_evaluations import (
    ALL,
    QUICK,
    contents,
    evaluated,
    facts_of,
    invented_contexts,
    open_small_local,
)
from tests.pipelines.small_index import invented_papers, open_small_collection, write_small_index
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture(scope="module")
def report(index: Path, found: LocalQueries) -> LocalReport:
    """Evaluate everything once."""
    return evaluated(index, found, ALL, index.parent / "report")


def test_the_folder_holds_what_reports_are_made_from(report: LocalReport) -> None:
    names = {path.name for path in report.folder.iterdir()}
    assert names >= {"assessment.json", "facts.json", "qrels.txt", "queries.json", "runs"}
    assert set(contents(report.folder)) == set(LOCAL_SYSTEMS)
    assert list((report.folder / ".work").iterdir()) == []
    assert report.queries == 16 == len(read_qrels(report.folder / "qrels.txt"))


def test_the_facts_say_how_it_was_done(report: LocalReport, index: Path) -> None:
    facts = facts_of(report.folder)
    told = [facts[name] for name in ("part", "k", "seed", "known", "masked", "command")]
    assert told == ["sentence", 100, 0, "references", False, "recsys it"]
    assert facts["systems"] == list(LOCAL_SYSTEMS)
    assert facts["corpus"]["name"] == "small" and facts["corpus"]["papers"] == 50
    assert set(facts["candidates"]) == set(facts["calibration"]) == LEARNED
    assert facts["timing"] == report.timing
    leakage, _ = facts["warnings"]
    assert "Leakage unknown: the local ranker" in leakage


def test_runs_are_the_answers_of_the_systems(
    report: LocalReport, index: Path, found: LocalQueries
) -> None:
    ranker = open_small_local(index)
    collection, works = ranker.reader.collection, ranker.reader.works
    of_years = found.of_years(collection, *ALL.years).at_most(1, seed=0)
    query = of_years.queries[5]
    name = f"{collection.corpus.ids[query.citing]}#1"
    posed = pose_query(collection, works, query, "references", masked=False)
    for system, ask in LOCAL_SYSTEMS.items():
        run = read_run(report.folder / "runs" / f"{system}.trec")
        ranked = ask(AskedPassage(ranker, posed), ALL.k)
        expected = [collection.corpus.ids[row] for row in ranked.rows.tolist()]
        assert ordered(run[name]) == expected


def test_no_run_holds_the_citing_paper_or_anything_newer(report: LocalReport, index: Path) -> None:
    collection = open_small_collection(index)
    for path in (report.folder / "runs").glob("*.trec"):
        for name, papers in read_run(path).items():
            citing = name.removesuffix("#1")
            years = collection.corpus.years[collection.corpus.rows(papers)]
            assert citing not in papers and years.min() >= 0
            assert years.max() <= collection.corpus.years[collection.corpus.rows([citing])[0]]


def test_probabilities_are_those_of_what_is_shown(report: LocalReport) -> None:
    facts = facts_of(report.folder)
    qrels = read_qrels(report.folder / "qrels.txt")
    run = read_run(report.folder / "runs" / "local.trec")
    pairs = facts["calibration"]["local"]
    shown = {query: ordered(papers)[:SHOWN_DEPTH] for query, papers in run.items()}
    assert len(pairs["probability"]) == sum(map(len, shown.values()))
    assert sum(pairs["outcome"]) == sum(len({*shown[q]} & {*qrels[q]}) for q in qrels)
    assert all(0 <= chance <= 1 for chance in pairs["probability"])
    counts = facts["candidates"]["local"]
    assert all(counts["found"][query] <= len(qrels[query]) for query in qrels)


def test_names_help_where_they_are_and_hurt_nobody(report: LocalReport) -> None:
    figures = {each.name: each.measures["MRR"].value for each in report.assessment.systems}
    assert figures["local"] > figures["local-unnamed"]
    queries = json.loads((report.folder / "queries.json").read_text())
    with_names, without = (
        read_run(report.folder / "runs" / f"{name}.trec") for name in ("local", "local-unnamed")
    )
    nobody = [query for query, told in queries.items() if not told["names"]]
    assert nobody and all(with_names[query] == without[query] for query in nobody)


@pytest.mark.slow  # `test_batch` shares one run among processes.
def test_runs_depend_neither_on_processes_nor_on_other_systems(
    report: LocalReport, index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    options = replace(ALL, systems=("two-stage", "local"), jobs=2)
    evaluated(index, found, options, tmp_path / "x")
    expected = contents(report.folder)
    assert contents(tmp_path / "x") == {name: expected[name] for name in options.systems}
    mine, theirs = facts_of(tmp_path / "x"), facts_of(report.folder)
    assert mine["calibration"]["local"] == theirs["calibration"]["local"]


def test_a_killed_evaluation_continues_where_it_stopped(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    out, asked = tmp_path / "x", list[tuple[str, int]]()
    with pytest.raises(KeyboardInterrupt):
        evaluated(index, found, QUICK, out, killed_at(5, "asking local"))
    assert not (out / "facts.json").exists()
    evaluated(index, found, QUICK, out, lambda stage, done, n: asked.append((stage, done)))
    assert asked[:2] == [("asking bm25", 16), ("asking local", 5)]
    evaluated(index, found, QUICK, tmp_path / "y")
    assert contents(out) == contents(tmp_path / "y")


@pytest.mark.parametrize("changed", [{"masked": True}, {"known": "title"}, {"k": 19}])
def test_what_was_asked_otherwise_is_not_continued(
    changed: dict[str, Any], index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluated(index, found, QUICK, tmp_path / "x", killed_at(5))
    asked: list[int] = []
    other = replace(QUICK, **changed)
    evaluated(index, found, other, tmp_path / "x", lambda stage, done, n: asked.append(done))
    assert asked[0] == 0


@each_row(
    ("options", "message"),
    [
        (replace(QUICK, systems=("bm52",)), "Did you mean 'bm25'"),
        (replace(QUICK, systems=()), "nothing to evaluate"),
        (replace(QUICK, known="titel"), "Did you mean 'title'"),
        (replace(QUICK, k=0), "k is 0"),
        (replace(QUICK, per_paper=-1), "sentences a paper is -1"),
        (replace(QUICK, years=(1900, 1950)), "No sentence is by a paper of 1900 to 1950"),
        (replace(QUICK, years=(2011, 2008)), "No sentence is by a paper of 2011 to 2008"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(
    options: LocalEvaluation, message: str, index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        evaluated(index, found, options, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_masked_answers_cannot_be_read_from_names(index: Path, tmp_path: Path) -> None:
    """What a masked sentence said of its gold paper changes no byte of any run."""
    texts = ("A survey by Rivers (2007).", "A survey by Deserts (1999).")
    found = [
        local_queries(open_small_collection(index), [Context("rivers-08", "rivers-07", text)])
        for text in texts
    ]
    masked = replace(ALL, masked=True)
    for number, queries in enumerate(found):
        evaluated(index, queries, masked, tmp_path / str(number))
    assert contents(tmp_path / "0") == contents(tmp_path / "1")


# What would make a local evaluation too good: rankers that have seen it, abstracts that tell.


def seen_by(
    folder: Path, index: Path, *, train: Sequence[str] = (), dev: Sequence[str] = ()
) -> Path:
    collection = open_small_collection(index)
    folder.mkdir()
    rows = (collection.corpus.rows(each) for each in (train, dev))
    SeenQueries.of(collection, **dict(zip(("train", "dev"), rows, strict=True))).save(folder)
    seal(folder, "ranker", 1, {"name": folder.name})
    return folder


class Opened:
    """Opens an index with rankers that lie in some folders."""

    def __init__(self, *, local: Path, whole: Path) -> None:
        self.local, self.whole = local, whole

    def __call__(self, index: Path) -> PassageRanker:
        usual = open_small_local(index)
        shipped = TreeRanker.load(data_folder() / "ranker-no-metadata")
        recommender = replace(usual.reader.recommender, ranker=replace(shipped, folder=self.whole))
        # It reads the columns of the sentence instead of those of the draft, and looks once.
        assert shipped.first is not None
        names = tuple(f"sentence.{name}" for name in shipped.first.feature_names)
        own = replace(shipped.first, folder=self.local, feature_names=names)
        return PassageRanker(replace(usual.reader, recommender=recommender), own)


@pytest.mark.parametrize("part", ["train", "dev"])
@pytest.mark.parametrize("whole", [False, True])
def test_rankers_that_have_seen_the_citing_papers_are_refused(
    part: str, whole: bool, index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    honest = seen_by(tmp_path / "honest", index, train=["rivers-02"])
    leaky = seen_by(tmp_path / "leaky", index, **{part: ["rivers-09", "deserts-03"]})
    opened = Opened(local=honest if whole else leaky, whole=leaky if whole else honest)
    told = "The ranker in" if whole else "The local ranker in"
    asked = replace(QUICK, known="title")
    with pytest.raises(LeakageError, match=rf"{told} .* on 1 of these 16 .*'rivers-09'") as error:
        evaluate_local(index, found, asked, tmp_path / "x", open_local=opened)
    command = "`recsys train ranker`" if whole else "`recsys train local`"
    assert command in error.value.hint
    assert not (tmp_path / "x").exists()


def test_rankers_that_nobody_asks_are_not_refused(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    leaky = seen_by(tmp_path / "leaky", index, train=["rivers-09"])
    honest = seen_by(tmp_path / "honest", index, train=["rivers-02"])
    both = Opened(local=leaky, whole=leaky)
    plain = replace(QUICK, systems=("bm25", "profile"))
    expected = found.lines()
    assert evaluate_local(index, found, plain, tmp_path / "x", open_local=both).told == expected
    # The two stages do not ask the local ranker, which asks them of a sentence alone, too.
    local, whole = Opened(local=leaky, whole=honest), Opened(local=honest, whole=leaky)
    two = replace(QUICK, systems=("two-stage",), known="sentence")
    assert evaluate_local(index, found, two, tmp_path / "y", open_local=local).told == expected
    with pytest.raises(LeakageError, match="The ranker in"):
        sentence = replace(two, systems=("local",))
        evaluate_local(index, found, sentence, tmp_path / "z", open_local=whole)


def test_an_encoder_that_has_learned_from_the_citing_papers_is_refused(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    own = Path(shutil.copytree(index, tmp_path / "own.index"))
    seen_by(own / ENCODER, index, train=["rivers-09"])
    words = replace(QUICK, systems=("bm25",))
    assert evaluated(own, found, words, tmp_path / "x").told == found.lines()
    both = replace(QUICK, systems=("bm25", "embedding"))
    with pytest.raises(LeakageError, match=r"encoder .* trained on 1 of these 16 .*'rivers-09'"):
        evaluated(own, found, both, tmp_path / "y")


def test_abstracts_that_only_cited_papers_have_are_told(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    assert list(telling(open_small_collection(index), found.queries, contexts=True)) == []
    contexts = [each for each in invented_contexts() if each.citing == "rivers-08"]
    cited = {each.cited for each in contexts}
    papers = [
        paper if paper["id"] in cited else paper | {"abstract": None} for paper in invented_papers()
    ]
    index = write_small_index(tmp_path / "telling.index", papers)
    found = local_queries(open_small_collection(index), contexts)
    report = evaluated(index, found, replace(QUICK, systems=("bm25",)), tmp_path / "x")
    (line,) = report.told
    assert line.startswith("100% of the cited papers have an abstract, and 3% of the others")
    assert "--titles-only" in line and line in report.lines()
    assert facts_of(report.folder)["warnings"] == [line]
