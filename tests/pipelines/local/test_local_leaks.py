"""What would make a local evaluation too good: rankers that have seen it, abstracts that tell."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recsys.app.wiring import data_folder
from recsys.errors import LeakageError
from recsys.local.local_recommender import PassageRanker
from recsys.models.encoder import SeenQueries
from recsys.pipelines.local.evaluate_local import evaluate_local, telling_abstracts
from recsys.pipelines.local.local_queries import LocalQueries, local_queries
from recsys.ranking.ranker import TreeRanker
from recsys.store.artifacts import ENCODER, seal
from tests.pipelines.local.local_evaluations import (
    QUICK,
    Stop,
    evaluated,
    facts_of,
)
from tests.pipelines.local.small_passages import invented_contexts, open_small_local
from tests.pipelines.small_index import invented_papers, open_small_collection, write_small_index

pytestmark = pytest.mark.usefixtures("one_process")


# Rankers that have seen the citing papers -----------------------------------------------------


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
    # Without a draft, nobody asks the ranker of whole drafts but the system that is that.
    whole = Opened(local=honest, whole=leaky)
    sentence = replace(QUICK, systems=("local",), known="sentence")
    assert evaluate_local(index, found, sentence, tmp_path / "y", open_local=whole).told == expected
    with pytest.raises(LeakageError, match="The ranker in"):
        two = replace(sentence, systems=("two-stage",))
        evaluate_local(index, found, two, tmp_path / "z", open_local=whole)


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


def test_another_ranker_does_not_continue_what_one_began(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    folders = [seen_by(tmp_path / name, index, train=["rivers-02"]) for name in "ab"]

    def stop(stage: str, done: int, total: int) -> None:
        if done == 5:
            raise Stop

    asked: list[int] = []
    one, other = (Opened(local=folder, whole=folder) for folder in folders)
    out = tmp_path / "x"
    with pytest.raises(Stop):
        evaluate_local(index, found, QUICK, out, open_local=one, progress=stop)
    evaluate_local(
        index, found, QUICK, out, open_local=other, progress=lambda s, done, n: asked.append(done)
    )
    assert asked[0] == 0


# Abstracts that tell ----------------------------------------------------------------------------


def with_abstracts(folder: Path, kept: Sequence[str]) -> Path:
    papers = [
        paper | ({} if paper["id"] in kept else {"abstract": None}) for paper in invented_papers()
    ]
    return write_small_index(folder, papers)


def test_abstracts_that_only_cited_papers_have_are_told(tmp_path: Path) -> None:
    contexts = [each for each in invented_contexts() if each.citing == "rivers-08"]
    cited = {each.cited for each in contexts}
    telling = with_abstracts(tmp_path / "telling.index", sorted(cited))
    found = local_queries(open_small_collection(telling), contexts)
    report = evaluated(telling, found, replace(QUICK, systems=("bm25",)), tmp_path / "x")
    (line,) = report.told
    assert line.startswith("100% of the cited papers have an abstract, and 3% of the others")
    assert "--titles-only" in line and line in report.lines()
    assert facts_of(report.folder)["warnings"] == [line]


def test_abstracts_of_all_or_of_none_tell_nothing(
    index: Path, found: LocalQueries, tmp_path: Path
) -> None:
    assert list(telling_abstracts(open_small_collection(index), found.queries)) == []
    none = open_small_collection(with_abstracts(tmp_path / "none.index", []))
    assert list(telling_abstracts(none, found.queries)) == []
