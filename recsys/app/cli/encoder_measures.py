"""Vectors of papers: write them, and measure encoders by SciDocs, probes, and in one table.

Args:
    output: Format of the result on stdout.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    POOL,
    Address,
    AtLeastOne,
    ComparisonFormat,
    EngineName,
    Index,
    IndexPlace,
    Jobs,
    NumGpus,
    OwnPooling,
    Precision,
    ResultFormat,
    Seed,
    Split,
    names_in,
    shared_work,
    shown_work,
    tell,
)
from recsys.app.terminal import check_target, emit, made, shown_progress


def embed(
    papers: Annotated[Path, IndexPlace(), Argument(metavar="PAPERS")],
    out: Annotated[Path, Option(metavar="FILE")],
    *,
    encoder: Annotated[str | None, Option(metavar="NAME")] = None,
    pooling: OwnPooling = None,
    precision: Precision | None = None,
    split: Annotated[Path | None, Option(metavar="FILE")] = None,
    nnselect: Annotated[Path | None, IndexPlace(), Option(metavar="INDEX")] = None,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: bool = False,
    num_gpus: NumGpus = 0.0,
) -> None:
    """Write the vectors of papers to a file.

    If interrupted, run the same command again to continue.

    Args:
        papers: File of papers as `recsys build` reads it, an index, or a SciDocs directory.
        out: File to write: .jsonl or .jsonl.gz as SPECTER does, .parquet, or .npy with the ids
            beside it.
        encoder: `minilm`, `mpnet`, a name on the Hugging Face hub, a local directory, or a baseline
            fitted to the papers: random, tfidf-svd, doc2vec, fasttext, sif, sgc, nnselect. Default:
            minilm, or the index's own vectors.
        precision: Number format of the encoder. Default: int8.
        split: Split of an index, for a baseline: it is not fitted to papers newer than the train
            queries, nor to what any query cites. Default: fitted to all papers.
        nnselect: Index whose trained NNSelect encodes the papers, for the nnselect baseline.
            Default: PAPERS.
    """
    from recsys.app.cache import cache_folder
    from recsys.pipelines.studies.embed import EmbedOptions
    from recsys.pipelines.studies.embed import embed as write

    with shared_work(None, engine, address, quiet=quiet, num_gpus=num_gpus) as (progress, workers):
        options = EmbedOptions(encoder, pooling, precision, split, nnselect, engine=workers)
        report = write(papers, out, options, cache=cache_folder(), progress=progress)
    tell(report.lines(), quiet=quiet)


SuitePart: TypeAlias = Literal["val", "test"]
"""What SciDocs evaluates on."""
AskedPart: TypeAlias = Literal["dev", "test"]
"""Whose queries are asked."""
Output: TypeAlias = Annotated[ResultFormat, Option("--format")]


def scidocs(
    folder: Annotated[Path, Argument(metavar="DIR")],
    embeddings: Annotated[list[str] | None, Option(metavar="[NAME=]FILE")] = None,
    random: bool = False,
    tasks: Annotated[str | None, Option(metavar="NAMES")] = None,
    part: SuitePart = "test",
    queries: Annotated[Path | None, Option(metavar="FILE")] = None,
    output: Annotated[ComparisonFormat, Option("--format")] = "table",
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: bool = False,
) -> None:
    """Evaluate vectors of papers on the tasks of SciDocs.

    Measures are defined as in SciDocs and shown beside the published figures; ranking tasks have 95
    % intervals. Choosing the cost of a classifier takes minutes; its fits run in parallel.

    Args:
        folder: SciDocs directory, original or generated.
        embeddings: Vectors of an encoder: a file, or a directory with SciDocs' cls, user-citation
            and recomm; may be repeated.
        random: Also evaluate random vectors, as a lower bound.
        tasks: Any of mag, mesh, co-view, co-read, cite, co-cite, recomm, separated by commas.
            Default: all that are there.
        part: Part to evaluate on.
        queries: JSON Lines file for the scores of each query of the ranking tasks.
        output: Format of the table.
    """
    from recsys.eval.studies.scidocs.scidocs_figures import RENDERERS, query_lines
    from recsys.pipelines.studies.scidocs_suite import SuiteOptions, evaluate_suite, sources

    check_target(queries)
    options = SuiteOptions(part, names_in(tasks), random, seed, jobs)
    with shown_progress(quiet=quiet) as progress:
        suite = evaluate_suite(folder, sources(embeddings or []), options, progress=progress)
    if queries is not None:
        emit(query_lines(suite), queries)
    emit(RENDERERS[output](suite))


def generate_scidocs(
    index: Index,
    out: Annotated[Path, Option(metavar="DIR")],
    split: Annotated[Path | None, Option(metavar="FILE")] = None,
    queries: AtLeastOne = 500,
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Generate a SciDocs directory from an index.

    For comparing encoders on your own papers. Classes are venues and categories; cite and co-cite
    are the index's citations; what readers view, read and click is simulated from them.

    Args:
        out: Directory to write.
        split: Split whose dev and test papers define relatedness in val and test, unseen by an
            encoder trained on its train papers. Default: half of the papers each.
        queries: Maximum number of queries per ranking task.
    """
    from recsys.indexes.opening import open_collection
    from recsys.pipelines.evaluation.splits import read_split
    from recsys.pipelines.studies.scidocs_generator import GeneratorOptions, generate

    with shown_work(index, quiet=quiet) as progress:
        collection = open_collection(index)
        chosen = None if split is None else read_split(split, collection)
        options = GeneratorOptions(queries=queries, split=chosen, seed=seed)
        report = generate(collection, out, options, progress=progress)
    tell(report.lines(), quiet=quiet)


def probe_embeddings(
    papers: Annotated[Path, Argument(metavar="PAPERS")],
    embeddings: Annotated[list[str], Option(metavar="[NAME=]FILE")],
    label: Annotated[str, Option(metavar="NAME")],
    most_classes: Annotated[int | None, Option("--classes", min=2)] = None,
    min_count: Annotated[int, Option(min=4)] = 20,
    most: Annotated[int | None, Option("--papers", min=8)] = None,
    probes: Annotated[str, Option(metavar="NAMES")] = "linear,clusters,retrieval,map",
    seen: Annotated[Path | None, Option(metavar="FILE")] = None,
    unseen: Annotated[float | None, Option(metavar="SHARE", min=0.0, max=1.0)] = None,
    runs: AtLeastOne = 1,
    out: Annotated[Path | None, Option(metavar="DIR")] = None,
    output: Output = "table",
    seed: Seed = 0,
    quiet: bool = False,
) -> None:
    """Measure how well vectors separate classes such as venues.

    Linear evaluation with tests of every pair of embeddings, cluster purity, retrieval of pairs by
    correlation, and t-SNE maps, all on the same papers.

    Args:
        papers: File of papers as `recsys build` reads it.
        embeddings: Vectors of the papers, as written by `recsys embed`; may be repeated, to
            compare.
        label: Classes: venue, keyphrases, or labels.NAME of the papers' labels.
        most_classes: Maximum number of classes; the most frequent are used. Default: all.
        min_count: Minimum number of papers per class.
        most: Maximum number of papers, drawn at random. Default: all.
        probes: Any of linear, clusters, retrieval, map, separated by commas.
        seen: Names of the classes that an encoder was trained on, one per line: papers of these and
            of other classes are probed separately.
        unseen: Separate seen from unseen classes by --seed instead; the share that is unseen.
        runs: Number of random assignments of papers to folds.
        out: Folder for the HTML page, figures, maps, and the prediction for each paper.
    """
    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.probes import probe_results, report_probes
    from recsys.pipelines.studies import embedding_probes

    if out is not None:
        report_probes.check_folder(out)
    names = None if seen is None else probe_results.read_class_names(seen)
    options = embedding_probes.ProbeOptions(
        label=label, probes=names_in(probes) or (), classes=most_classes, least=min_count,
        papers=most, seen=names, unseen=unseen, runs=runs, seed=seed,
    )  # fmt: skip
    files = embedding_probes.named_files(embeddings)
    with shown_progress(quiet=quiet) as progress:
        found = embedding_probes.probe(papers, files, options, progress=progress)
    tell(found.notes, quiet=quiet)
    read = {f"vectors of {name}": path for name, path in files.items()}
    page = report_probes.probe_page(found, made(seed, papers=papers, **read))
    if out is not None:
        report_probes.write_folder(out, found, page)
    emit(FORMATS[output](page))


def compare_encoders(
    index: Index,
    split: Split,
    encoders: Annotated[list[str], Option("--encoder", metavar="NAME")],
    out: Annotated[Path, Option(metavar="DIR")],
    labels: Annotated[Path | None, Option(metavar="PAPERS")] = None,
    label: Annotated[str | None, Option(metavar="NAME")] = None,
    most: Annotated[int | None, Option("--papers", min=8)] = None,
    min_count: Annotated[int, Option(min=4)] = 20,
    queries: Annotated[int, Option(min=0)] = 500,
    reference: Annotated[str | None, Option(metavar="NAME")] = None,
    dim: AtLeastOne = 300,
    part: AskedPart = "test",
    precision: Precision = "int8",
    output: Output = "table",
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: bool = False,
) -> int:
    """Compare encoders in one table: quality, speed and size.

    Covers recommendations, SciDocs' tasks and probes. An index with its own ranker is built on the
    vectors of each encoder. Finished parts are kept in DIR; the same command continues and runs
    only what is new. The exit code is 1 if a part of a row failed; the notes say why.

    Args:
        encoders: What `recsys embed` takes as an encoder, NAME=FOLDER to rename it, or NAME=FILE
            for vectors made elsewhere; with --labels NAME=FILE,FILE, where the second is for the
            labelled papers. May be repeated.
        out: Folder for the page and for finished parts.
        labels: File of papers with labels, for the probes. Default: no probes.
        label: Classes of the probes: venue, keyphrases, or labels.NAME.
        most: Maximum number of labelled papers, drawn at random. Default: all.
        min_count: Minimum number of labelled papers per class.
        queries: Queries per ranking task of SciDocs; 0 skips these tasks.
        reference: Encoder that the others are tested against. Default: minilm, otherwise the first.
        dim: Dimension of the vectors of fitted baselines.
        part: Queries to ask.
        precision: Number format of the encoders.
    """
    from recsys.app.cache import cache_folder
    from recsys.app.wiring import open_index
    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.encoders import report_encoders
    from recsys.eval.studies.probes.maps import write_with_maps
    from recsys.pipelines.studies import compared_encoders, encoder_comparison

    options = compared_encoders.CompareOptions(
        part=part, label=label, papers=most, least=min_count, queries=queries,
        reference=reference, dim=dim, precision=precision, seed=seed, jobs=jobs,
    )  # fmt: skip
    with shown_progress(quiet=quiet) as progress:
        bench = compared_encoders.Bench(
            index, split, labels, options, out, cache_folder(), open_index, progress
        )
        found = encoder_comparison.compare_encoders(bench, compared_encoders.wanted(encoders))
    read = {"split": split} | ({} if labels is None else {"labelled papers": labels})
    page = report_encoders.encoders_page(found, made(seed, index=index / "manifest.json", **read))
    write_with_maps(out, "encoders", page, report_encoders.maps(found))
    emit(FORMATS[output](page))
    tell(failures := found.failures(), quiet=quiet)
    return 1 if failures else 0
