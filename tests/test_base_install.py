"""The base installation answers and builds; the rest names the extra it needs."""

import json
import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import numpy as np
import pytest

from recsys.errors import EXTRAS
from recsys.store.generations import is_index
from tests.built_index import DRAFT, ROOT, write_papers
from tests.pipelines.small_index import write_small_split
from tests.pipelines.small_probe import small_probe
from tests.pipelines.studies.clicks.related_papers import related_papers
from tests.recsys.formats.drafts.small_docx import docx, paragraph
from tests.rows import each_row
from tests.without_extras import Ran, base_distributions, blocked_modules, run_all

if TYPE_CHECKING:
    from tests.built_index import Built

pytestmark = pytest.mark.area("wheel")

HEAVY = {"torch", "transformers", "sentence-transformers", "scikit-learn", "gensim", "optuna"}
HEAVY |= {"annoy", "matplotlib", "jinja2", "pypdfium2", "whoosh-reloaded"}
HEAVY |= {"lightgbm", "scipy"}


@pytest.fixture(scope="module")
def ran(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Everything that the base does, from a file of papers to answers and their evaluation.

    It does so as an installed wheel, beside folders of any name: every second project of machine
    learning has its own `eval` and `pipelines`.
    """
    folder, place = (tmp_path_factory.mktemp(name) for name in ("base", "site-packages"))
    with ZipFile(wheel) as archive:
        archive.extractall(place)
    for name in ("eval", "pipelines", "indexes", "tests", "benchmarks", "docs"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("raise SystemExit('not recsys')\n")
    papers, split = write_papers(folder / "papers.jsonl"), write_small_split(folder / "split.json")
    (folder / "draft.json").write_text(json.dumps(DRAFT), encoding="utf-8")
    index, asked = folder / "small.index", ("--split", split)
    draft, unfinished = folder / "draft.json", ROOT / "examples" / "unfinished.tex"
    commands = {
        "starter": ("recommend", draft, "--format", "json"),
        "build": ("build", papers, "--out", index),
        "recommend": ("recommend", draft, "--index", index, "--format", "json"),
        "cite": ("cite", unfinished, "--index", index),
        "batch": ("batch", index, *asked, "--run", folder / "run.trec", "--jobs", 1),
        "jobs": ("batch", index, *asked, "--run", folder / "jobs.trec", "--jobs", 2),
        "evaluate": ("evaluate", index, *asked, "--out", folder / "report", "--jobs", 1),
        "report": ("report", folder / "report", "--format", "markdown", "--out", "-"),
        "compare": ("compare", folder / "run.trec", "--qrels", folder / "report" / "qrels.txt"),
        "corpus": ("corpus", papers, "--out", folder / "corpus.jsonl.gz"),
        "embed": ("embed", papers, "--out", folder / "own.npy"),
        "random": ("embed", papers, "--encoder", "random", "--out", folder / "random.npy"),
        "inspect": ("inspect", index, "--verify", "--format", "json"),
        "update": ("update", index, papers),
        "doctor": ("doctor",),
        "version": ("--version",),
    }
    found = run_all(folder, [*commands.values()], code=place, cache=folder / "cache")
    return dict(zip(commands, found, strict=True))


def test_the_base_has_none_of_the_heavy_packages() -> None:
    assert HEAVY.isdisjoint(base_distributions())
    assert set(EXTRAS) <= set(blocked_modules())


def test_the_base_takes_at_most_550_mb_with_its_bytecode() -> None:
    taken = 0
    for name in base_distributions() - {"citerec"}:  # Which lies in the checkout here.
        try:
            files = metadata.files(name) or []
        except metadata.PackageNotFoundError:  # Of another platform.
            continue
        for file in files:
            if file.suffix != ".pyc" and (path := Path(str(file.locate()))).is_file():
                # A module's bytecode is about as large as its source.
                taken += path.stat().st_size * (2 if file.suffix == ".py" else 1)
    assert 300 < taken / 2**20 < 550


def test_all_that_the_base_does_works_from_a_wheel(ran: dict[str, Ran]) -> None:
    assert {name: (each.code, each.err) for name, each in ran.items() if each.code} == {}


def test_papers_are_recommended_from_both_corpora(ran: dict[str, Ran]) -> None:
    for name in ("starter", "recommend"):
        assert len(json.loads(ran[name].out)["recommendations"]) > 5


def test_the_encoder_was_checked(ran: dict[str, Ran]) -> None:
    found = {each["kind"]: each for each in json.loads(ran["inspect"].out)["artifacts"]}
    assert found["encoder"]["config"]["cosine_torch"] > 0.9999


def test_vectors_are_those_of_the_whole_installation(ran: dict[str, Ran], built: "Built") -> None:
    own = Path(ran["embed"].arguments[-1])
    vectors, expected = np.load(own), np.load(next(built.index.rglob("vectors.npy")))
    assert (vectors * expected).sum(axis=1).min() > 0.9999


def test_doctor_tells_which_extras_there_are(ran: dict[str, Ran]) -> None:
    line = next(line for line in ran["doctor"].out.splitlines() if " extras " in line)
    every = ",".join(sorted(set(EXTRAS.values())))
    assert line.endswith(f"none; `pip install 'citerec[{every}]'` adds the rest")


@pytest.fixture(scope="module")
def refused(
    built: "Built", own_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Ran]]:
    """Every command that needs an extra, by the extra."""
    folder = tmp_path_factory.mktemp("refused")
    given, out = (built.index, "--split", built.split), ("--out", folder / "new")
    probe = small_probe(folder)
    (folder / "draft.pdf").write_bytes(b"%PDF-1.4\n")
    citing = {
        "citing": "rivers-01",
        "cited": "rivers-00",
        "text": "As [CITE] measured, water flows",
    }
    (folder / "citing.jsonl").write_text(json.dumps(citing), encoding="utf-8")
    (folder / "draft.docx").write_bytes(docx(paragraph("On rivers")))
    write_suite(folder / "suite")
    task = write_related(folder), folder / "related.index", folder / "task"
    commands: list[tuple[str, tuple[object, ...]]] = [
        ("", ("build", task[0], "--out", task[1])),
        ("", ("study", "clicks-simulate", task[1], "--out", task[2], "--impressions", 600,
              "--trials", 3000)),
        ("", ("evaluate", *given, "--out", folder / "report", "--systems", "bm25", "--jobs", 1)),
        ("ranker", ("train", "ranker", *given)),
        ("ranker", ("train", "local", built.index, folder / "citing.jsonl")),
        ("train", ("study", "clicks-study", task[1], *out)),
        ("train", ("study", "clicks-task", task[2], "--embeddings", task[2] / "embeddings.jsonl")),
        ("train", ("train", "nnselect", *given)),
        ("train", ("train", "nnrank", *given)),
        ("train", ("train", "encoder", *given, *out)),
        ("train", ("study", "train-journal", built.papers, *out)),
        ("train", ("study", "tune-nnselect", *given, *out)),
        ("train", ("study", "tune-nnrank", *given, *out)),
        ("train", ("study", "ablate-nnrank", *given, *out)),
        ("train", ("study", "ablate-encoder", *given, *out)),
        ("train", ("study", "ablate-journal", built.papers, *out)),
        ("train", ("build", built.papers, "--encoder", "allenai/specter", *out)),
        ("train", ("embed", built.papers, "--encoder", "specter", "--out", folder / "new.npy")),
        ("baselines", ("embed", built.index, "--encoder", "doc2vec", "--out", folder / "new.npy")),
        ("baselines", ("embed", built.index, "--encoder", "sif", "--out", folder / "new.npy")),
        ("studies", ("embed", built.index, "--encoder", "tfidf-svd", "--out", folder / "new.npy")),
        ("studies", ("study", "probe", probe.papers, "--embeddings", probe.good, "--label", "venue",
                     "--min-count", 8, "--probes", "linear")),
        ("studies", ("study", "scidocs", folder / "suite", "--random", "--jobs", 1)),
        ("baselines", ("evaluate", *given, "--out", folder / "whoosh", "--systems", "bm25-whoosh",
                       "--jobs", 1)),
        ("annoy", ("build", built.papers, "--vectors", "annoy", *out)),
        ("hnsw", ("build", built.papers, "--vectors", "hnsw", *out)),
        ("lance", ("build", built.papers, "--vectors", "lance", *out)),
        ("lance", ("build", built.papers, "--text", "lance", *out)),
        ("store", ("inspect", "s3://bucket/my.index")),
        ("store", ("build", built.papers, "--store", "s3://bucket/my.index")),
        ("online", ("doctor", "--online")),
        ("ray", ("build", built.papers, "--engine", "ray", *out)),
        ("report", ("report", folder / "report")),
        ("report", ("study", "compare-encoders", *given, "--encoder", "random", *out)),
        ("pdf", ("recommend", folder / "draft.pdf")),
        ("online", ("recommend", folder / "draft.pdf", "--grobid", "http://127.0.0.1:1")),
        ("serve", ("recommend", folder / "draft.docx")),
        ("serve", ("map", "rivers-09", "--index", built.index, "--out", folder / "map.html")),
        ("store", ("build", "s3://dumps/works", *out)),
        ("mcp", ("mcp", "--index", built.index)),
        ("editors", ("lsp",)),
    ]  # fmt: skip
    found: dict[str, list[Ran]] = {}
    ran = run_all(folder / "run", [command for _, command in commands], cache=own_cache)
    for (extra, _), each in zip(commands, ran, strict=True):
        found.setdefault(extra, []).append(each)
    # What a build had done before stays, for when the package is there.
    assert not is_index(folder / "new") and not (folder / "new.npy").exists()
    return found


def test_what_they_start_from_was_made_without(refused: dict[str, list[Ran]]) -> None:
    assert [(each.code, each.err) for each in refused[""] if each.code] == []


@each_row("extra", sorted({*EXTRAS.values()} - {"tune"}))
def test_what_needs_an_extra_names_the_command(refused: dict[str, list[Ran]], extra: str) -> None:
    for each in refused[extra]:
        assert (each.code, each.out) == (1, ""), each
        *_, last = each.err.splitlines()
        assert re.fullmatch(
            rf"error: .+ needs \w+, which is not installed\. pip install 'citerec\[{extra}\]'", last
        ), each


def write_related(folder: Path) -> Path:
    """Write papers, clicks on which are simulated."""
    lines = (json.dumps(paper) for paper in related_papers())
    (folder / "related.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "related.jsonl"


def write_suite(root: Path) -> None:
    """Write a task of classes."""
    (root / "mesh").mkdir(parents=True)
    for name, lines in {
        "train": ["pid,class_label", *(f"{'ab'[i % 2]},{i % 2}" for i in range(6))],
        "test": ["pid,class_label", "a,0", "b,1"],
    }.items():
        (root / "mesh" / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
