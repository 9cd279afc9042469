"""Write the vectors of papers to a file that other programs read; a killed run continues."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import CorpusError, InputError
from recsys.eval.studies.scidocs.scidocs_layout import suite_papers, suite_root
from recsys.formats.embeddings import Embeddings, write_embeddings
from recsys.formats.embeddings.embedding_files import embedding_format
from recsys.formats.papers.json_records import tally
from recsys.indexes.opening import open_collection
from recsys.models.encoder import KIND, SCHEMA, OnnxEncoder
from recsys.pipelines.corpora.collect import AS_TOLD
from recsys.pipelines.corpora.source_files import source_files
from recsys.pipelines.encoders.checkpoints import MINILM
from recsys.pipelines.encoders.export_encoder import Precision, cached_encoder
from recsys.pipelines.evaluation.splits import read_split
from recsys.pipelines.index.encode import encode_corpus
from recsys.pipelines.index.ingest import ingest
from recsys.pipelines.jobs.engines import USUAL, Engine
from recsys.pipelines.jobs.index_writer import locked
from recsys.pipelines.studies.baselines import (
    BASELINES,
    Material,
    check_encoder_name,
    fit_baseline,
    material_of,
    material_of_corpus,
)
from recsys.protocols import Progress, silent
from recsys.store.artifacts import CORPUS, load_manifest
from recsys.store.corpus import Corpus
from recsys.store.generations import is_index
from recsys.store.vectors import StoredVectors


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """What encodes the papers; None each: the vectors of an index, else MiniLM in int8.

    encoder: one to export, or a baseline, which is fit on the papers. For baselines alone: split,
    of an index, whose queries' references and later papers are not learned from; nnselect, an
    index with such a model, if it is not the source. engine: what shares the work of an encoder
    that is exported.
    """

    encoder: str | None = None
    pooling: str | None = None
    precision: Precision | None = None
    split: Path | None = None
    nnselect: Path | None = None
    engine: Engine = USUAL

    @property
    def named(self) -> bool:
        """Tell whether the user asked for an encoder."""
        return any(each is not None for each in (self.encoder, self.pooling, self.precision))


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What was written. maker: what made the vectors. rejected: papers left out, why and how many.

    dim: length of a vector.
    """

    out: Path
    papers: int
    dim: int
    maker: str
    rejected: str = ""

    def lines(self) -> list[str]:
        """Say it to people."""
        left_out = [f"Papers left out: {self.rejected}."] if self.rejected else []
        made = f"{self.papers:,} papers, {self.dim} numbers each, by {self.maker}."
        return [*left_out, made, f"Saved in {self.out}."]


def embed(
    source: Path,
    out: Path,
    options: EmbedOptions,
    *,
    cache: Path,
    progress: Progress = silent,
) -> EmbedReport:
    """Write the vectors of all papers of a source, L2-normalised, by ascending id.

    Args:
        source: a file of papers in a format that `recsys.formats.papers` knows, an index, or a
            directory of SciDocs, whose metadata hold the texts.
        out: the file to write, in the format that its name ends in. Until it is finished, work
            lies in `OUT.partial`.
        options: what encodes the papers. An index gives the vectors that it has unless an encoder
            is named. A baseline is fit anew by every run.
        cache: where exported encoders are kept.
        progress: told about every stage.

    Raises:
        InputError: the source cannot be read, `out` cannot be written, another process does, or
            an option has no meaning for the encoder.
    """
    embedding_format(out)
    _check(options)
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write into.", "Create it first.")
    work, name = out.with_name(f"{out.name}.partial"), options.encoder or MINILM
    has_vectors = is_index(source) and not options.named
    vectors: StoredVectors
    with locked(out):
        corpus, rejected = _corpus(source, work, progress)
        if has_vectors:
            vectors, maker = open_collection(source).vectors, f"the encoder of {source}"
        elif name in BASELINES:
            material = _material(source, options, corpus)
            vectors = fit_baseline(name, material, progress=progress).vectors
            known = f"{material.known.sum():,} papers could be learned from"
            maker = f"{name} ({BASELINES[name].meaning}; {known})"
        else:
            folder = cached_encoder(
                name,
                cache,
                pooling=options.pooling,
                precision=options.precision or "int8",
            )
            engine = options.engine
            encoder = OnnxEncoder.load(folder, threads=None if engine.here else 1)
            vectors = encode_corpus(
                encoder,
                corpus,
                work / "vectors",
                engine=engine,
                exported=folder,
                progress=progress,
            )
            config = load_manifest(folder, KIND, SCHEMA).config
            maker = f"{config['name']} ({config['pooling']}, {config['precision']})"
        ids = tuple(corpus.ids[row] for row in range(len(corpus)))
        write_embeddings(out, Embeddings(ids, vectors), progress=progress)
        report = EmbedReport(out, len(corpus), vectors.shape[1], maker, rejected)
        del vectors  # Windows removes no file that is memory-mapped.
        if not has_vectors:
            shutil.rmtree(work, ignore_errors=name in BASELINES)
    return report


def _check(options: EmbedOptions) -> None:
    """Refuse what has no meaning for the encoder."""
    name = options.encoder or MINILM
    check_encoder_name(name)
    baseline = BASELINES.get(name)
    if baseline and (options.pooling is not None or options.precision is not None):
        raise InputError(
            f"The baseline {name!r} has neither a pooling nor a precision.", "Leave them out."
        )
    if options.split and not baseline:
        raise InputError(
            f"The encoder {name!r} does not learn from the papers: a split changes nothing.",
            f"Name a baseline: {', '.join(BASELINES)}.",
        )
    if options.nnselect and not (baseline and baseline.needs == "nnselect"):
        raise InputError(f"The encoder {name!r} needs no NNSelect.", "Leave it out.")


def _material(source: Path, options: EmbedOptions, corpus: Corpus) -> Material:
    if is_index(source):
        collection = open_collection(source)
        split = None if options.split is None else read_split(options.split, collection)
        material = material_of(collection, split)
    elif options.split is not None:
        raise InputError(
            f"{source} is not an index, so it is unknown what the queries of a split cite.",
            "Give an index, or no split.",
        )
    else:
        material = material_of_corpus(corpus)
    return replace(material, index=options.nnselect or material.index)


def _corpus(source: Path, work: Path, progress: Progress) -> tuple[Corpus, str]:
    """Open a source as a corpus; tell the papers that are left out."""
    if is_index(source):
        return open_collection(source).corpus, ""
    if not source.exists():
        raise CorpusError(f"There is nothing at {source}.", "Check the path.")
    papers = source
    if source.is_dir():  # The texts of a directory of SciDocs become a file of papers.
        try:
            root = suite_root(source)
        except InputError as error:
            raise InputError(
                f"{source} is neither an index nor a directory of SciDocs.",
                "Give a file of papers.",
            ) from error
        work.mkdir(exist_ok=True)
        papers = work / "papers.jsonl"
        with papers.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(paper) + "\n" for paper in suite_papers(root))
    folder = work / CORPUS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report = ingest(source_files([papers]), folder, AS_TOLD, progress=progress)
    return Corpus.load(folder), tally(report.read.rejected)
