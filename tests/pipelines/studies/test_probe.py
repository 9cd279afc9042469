"""Probes from files to figures."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from recsys.errors import InputError
from recsys.eval.studies.probes.probe_results import ProbeResult, as_figures
from recsys.formats.embeddings import Embeddings, read_embeddings, write_embeddings
from recsys.pipelines.studies.embedding_probes import ProbeOptions, probe
from tests.pipelines.small_probe import FIELDS, Small, small_probe
from tests.rows import each_row

OPTIONS = ProbeOptions("labels.field", least=8)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    return small_probe(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def probed(small: Small) -> ProbeResult:
    return run(small, OPTIONS)


def run(small: Small, options: ProbeOptions) -> ProbeResult:
    return probe(small.papers, {"good": small.good, "poor": small.poor}, options)


def test_every_probe_tells_the_better_embedding(probed: ProbeResult) -> None:
    [found] = probed.groups
    assert (len(found.group.ids), found.group.names) == (80, FIELDS)
    accuracy = {name: np.mean(each.accuracy) for name, each in found.linear.items()}
    assert accuracy["good"] > 0.9 > accuracy["poor"]
    [contrast] = found.contrasts
    assert contrast.accuracy.value == pytest.approx(accuracy["good"] - accuracy["poor"])
    assert contrast.p < 0.001
    assert found.purity["good"][10].value > 0.9 > found.purity["poor"][10].value
    assert found.dense["good"].homogeneity > found.dense["poor"].homogeneity
    good, poor = (found.pairs[name].average_precision.interval for name in ("good", "poor"))
    assert good.low > poor.high
    assert probed.notes == ()


def test_pairs_share_any_class(small: Small, probed: ProbeResult) -> None:
    group = probed.groups[0].group
    vectors = read_embeddings(small.good).of(group.ids)
    one, other = np.triu_indices(80, 1)
    scores = np.asarray(np.corrcoef(vectors.astype(np.float64)))[one, other]
    shared = group.labels[one] == group.labels[other]
    assert probed.groups[0].pairs["good"].ranking.auc == pytest.approx(
        roc_auc_score(shared, scores), abs=1e-9
    )
    with_rare = run(small, replace(OPTIONS, least=4, probes=("retrieval",))).groups[0]
    assert with_rare.group.names == (*FIELDS, "Rare")
    assert with_rare.group.counts().tolist() == [19, 18, 18, 19, 6]
    # Of 20 papers each field has 190 pairs; 2 of the 15 pairs of rare papers are among them.
    assert with_rare.pairs["good"].ranking.positives == 4 * 190 + 15 - 2


def test_the_same_seed_gives_the_same_figures(small: Small, probed: ProbeResult) -> None:
    assert as_figures(run(small, OPTIONS)) == as_figures(probed)
    [other] = run(small, replace(OPTIONS, probes=("linear",), seed=1)).groups
    assert (other.linear["poor"].told != probed.groups[0].linear["poor"].told).any()


def test_only_what_is_asked_for_is_probed(small: Small) -> None:
    [found] = probe(small.papers, {"good": small.good}, replace(OPTIONS, probes=("map",))).groups
    assert list(found.layouts) == ["good"]
    assert not (found.linear or found.contrasts or found.purity or found.dense or found.pairs)
    [found] = probe(
        small.papers, {"good": small.good}, replace(OPTIONS, probes=("clusters",))
    ).groups
    assert found.purity and found.dense and not found.layouts


def test_seen_and_unseen_classes_are_probed_apart(small: Small) -> None:
    names = frozenset({"beetles", "ferns"})
    seen, unseen = run(small, replace(OPTIONS, probes=("linear",), seen=names)).groups
    assert (seen.group.name, unseen.group.name) == ("seen", "unseen")
    assert (seen.group.names, unseen.group.names) == (("Beetles", "Ferns"), ("Clouds", "Rivers"))
    assert {int(paper[1:]) % 2 for paper in seen.group.ids} == {0}
    assert {int(paper[1:]) % 2 for paper in unseen.group.ids} == {1}
    assert unseen.group.labels.tolist() == [0, 1] * 20
    assert unseen.linear["good"].accuracy[0] > 0.8


def test_papers_are_drawn_and_the_most_frequent_classes_kept(small: Small) -> None:
    options = replace(OPTIONS, probes=("retrieval",), papers=40, least=4)
    [found] = run(small, options).groups
    assert 35 <= len(found.group.ids) <= 40
    assert found.group.ids == tuple(sorted(found.group.ids))
    [fewer] = run(small, replace(options, papers=None, classes=2)).groups
    assert fewer.group.names == ("Beetles", "Clouds")


def test_papers_without_a_vector_are_left_out_of_all(small: Small, tmp_path: Path) -> None:
    every = read_embeddings(small.poor)
    few = tmp_path / "few.npy"
    write_embeddings(few, Embeddings(every.ids[:70], every.vectors[:70]))
    options = replace(OPTIONS, probes=("linear",))
    found = probe(small.papers, {"good": small.good, "few": few}, options)
    assert len(found.groups[0].group.ids) == 70
    assert found.notes[0] == "few has no vector of 10 of 80 papers."


@each_row(
    ("options", "message"),
    [
        (replace(OPTIONS, probes=("linear", "cluster")), "'cluster'. Did you mean 'clusters'?"),
        (replace(OPTIONS, seen=frozenset("a"), unseen=0.5), "given twice"),
        (replace(OPTIONS, seen=frozenset({"beetle"})), "0 of 4 classes are seen"),
        (replace(OPTIONS, least=21), "0 classes of labels.field"),
        (replace(OPTIONS, label="labels.doc_type"), "1 classes of labels.doc_type"),
        (replace(OPTIONS, least=2, papers=12), "smallest of 2 papers"),
    ],
)
def test_what_cannot_be_probed_is_refused(
    options: ProbeOptions, message: str, small: Small
) -> None:
    with pytest.raises(InputError) as caught:
        run(small, options)
    assert message in str(caught.value)


def test_vectors_that_are_all_alike_are_refused(small: Small, tmp_path: Path) -> None:
    ids = read_embeddings(small.good).ids
    same = tmp_path / "same.npy"
    write_embeddings(same, Embeddings(ids, np.ones((len(ids), 3), np.float32)))
    with pytest.raises(InputError, match="All 80 vectors of same are alike"):
        probe(small.papers, {"same": same}, OPTIONS)
