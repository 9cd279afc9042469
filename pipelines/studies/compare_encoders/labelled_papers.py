"""The papers with labels: all of a file, to learn from, and those that are probed."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from recsys.errors import InputError
from recsys.pipelines.corpora.collect import AS_TOLD
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.kept_results import once
from recsys.pipelines.studies.probes.probe_papers import read_values
from recsys.progress import Progress
from recsys.store.artifacts import fingerprint, replacing, sha256
from recsys.store.corpus import Corpus
from recsys.store.layout import CORPUS

FOLDER, NOTE = "labelled", "labelled.json"
_ALL, _SAMPLE, _FILE = "all", "sample", "sample.jsonl"


@dataclass(frozen=True, slots=True)
class Labels:
    """Which papers are probed by what.

    papers: a file. label: what the classes are. most: papers, drawn by chance; None: all with the
    label.
    """

    papers: Path
    label: str
    most: int | None
    seed: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """corpus: all papers of the file. sample: those that are probed; file: the same, with labels.

    key: hash of all this.
    """

    corpus: Corpus
    sample: Corpus
    file: Path
    key: str


def read_labelled(labels: Labels, out: Path, progress: Progress) -> Labelled:
    """Read the papers and draw those that are probed, once for all encoders.

    Raises:
        InputError: the file cannot be read, or no paper has the label.
    """
    folder = out / FOLDER
    key = fingerprint([sha256(labels.papers), labels.label, labels.most, labels.seed])

    def read() -> dict[str, object]:
        with replacing(folder) as new:
            corpus = _ingested(labels.papers, new / _ALL, progress)
            _write_sample(labels, corpus, new / _FILE, progress)
            _ingested(new / _FILE, new / _SAMPLE, progress)
        return {}

    once(out / NOTE, key, read, gives=folder)
    all_papers, sample = (Corpus.load(folder / name / CORPUS) for name in (_ALL, _SAMPLE))
    return Labelled(all_papers, sample, folder / _FILE, key)


def _ingested(papers: Path, folder: Path, progress: Progress) -> Corpus:
    (folder / CORPUS).mkdir(parents=True)
    ingest(source_files([papers]), folder / CORPUS, AS_TOLD, progress=progress)
    return Corpus.load(folder / CORPUS)


def _write_sample(labels: Labels, corpus: Corpus, target: Path, progress: Progress) -> None:
    """Draw papers that have the label, and write them as JSON lines."""
    values = read_values(labels.papers, labels.label, progress)
    rows = np.array([row for row in map(corpus.row, sorted(values)) if row is not None])
    if len(rows) == 0:
        raise InputError(
            f"No paper of {labels.papers} with {labels.label!r} can be used.", "Check their ids."
        )
    if labels.most is not None and labels.most < len(rows):
        rng = np.random.default_rng(labels.seed)
        rows = np.sort(rng.choice(rows, labels.most, replace=False))
    papers = corpus.full_papers(rows.astype(np.int32))
    lines = (json.dumps(asdict(each), ensure_ascii=False) for each in papers)
    target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
