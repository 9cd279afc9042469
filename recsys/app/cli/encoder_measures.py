"""Vectors of papers: write them, and measure encoders by SciDocs, probes, and in one table."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.cli.options import (
    POOL,
    Address,
    ComparisonFormat,
    EngineName,
    Index,
    IndexPlace,
    Jobs,
    NumGpus,
    OwnPooling,
    Precision,
    Quiet,
    ResultFormat,
    Seed,
    Split,
    names_in,
    shared_work,
    shown_work,
    tell,
)


def embed(
    papers: Annotated[
        Path,
        IndexPlace(),
        Argument(
            metavar="PAPERS",
            help="File of papers as `build` reads it, an index, or a directory of SciDocs.",
        ),
    ],
    out: Annotated[
        Path,
        Option(
            "--out",
            metavar="FILE",
            help="File to write: .jsonl or .jsonl.gz as SPECTER, .parquet, or .npy with the ids "
            "beside it.",
        ),
    ],
    *,
    encoder: Annotated[
        str | None,
        Option(
            "--encoder",
            metavar="NAME",
            show_default="minilm, or the vectors that the index has",
            help="`minilm`, `mpnet`, a name on the Hugging Face hub, a local directory, or a "
            "baseline that is fit on the papers: random, tfidf-svd, doc2vec, fasttext, sif, sgc, "
            "nnselect.",
        ),
    ] = None,
    pooling: OwnPooling = None,
    precision: Annotated[
        Precision | None,
        Option("--precision", show_default="int8", help="Numbers in which the encoder computes."),
    ] = None,
    split: Annotated[
        Path | None,
        Option(
            "--split",
            metavar="FILE",
            show_default="all papers are learned from",
            help="Split of an index, for a baseline: it does not learn from papers newer than the "
            "train queries, nor from what any query cites.",
        ),
    ] = None,
    nnselect: Annotated[
        Path | None,
        IndexPlace(),
        Option(
            "--nnselect",
            metavar="INDEX",
            show_default="PAPERS",
            help="Index whose trained NNSelect encodes the papers, for the baseline of this name.",
        ),
    ] = None,
    engine: EngineName = POOL,
    address: Address = None,
    quiet: Quiet = False,
    num_gpus: NumGpus = 0.0,
) -> None:
    """Write the vectors of papers to a file; a killed run continues where it stopped."""
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
Output: TypeAlias = Annotated[
    ResultFormat, Option("--format", help="How the result is written to stdout.")
]


def scidocs(
    folder: Annotated[
        Path, Argument(metavar="DIR", help="Directory of SciDocs, real or generated.")
    ],
    embeddings: Annotated[
        list[str] | None,
        Option(
            "--embeddings",
            metavar="[NAME=]FILE",
            help="Vectors of an encoder: a file, or a directory with SciDocs' cls, user-citation "
            "and recomm; may be repeated.",
        ),
    ] = None,
    random: Annotated[
        bool, Option("--random", help="Evaluate random vectors, too: the lower bound.")
    ] = False,
    tasks: Annotated[
        str | None,
        Option(
            "--tasks",
            metavar="NAMES",
            show_default="all that are there",
            help="Some of mag, mesh, co-view, co-read, cite, co-cite, recomm; commas between them.",
        ),
    ] = None,
    part: Annotated[SuitePart, Option("--part", help="What is evaluated on.")] = "test",
    queries: Annotated[
        Path | None,
        Option(
            "--queries",
            metavar="FILE",
            help="JSON lines file to write, with the figures of each query of a ranking task.",
        ),
    ] = None,
    output: Annotated[ComparisonFormat, Option("--format", help="How the table is written.")] = (
        "table"
    ),
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate vectors of papers on the tasks of SciDocs, beside the published figures.

    Figures are defined as SciDocs defines them; ranking tasks get 95 % intervals. Choosing the cost
    of a classifier takes minutes: its fits are shared among processes.
    """
    from recsys.app.answer_writing import check_target, emit
    from recsys.app.bars import shown_progress
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
    out: Annotated[Path, Option("--out", metavar="DIR", help="Directory to write.")],
    split: Annotated[
        Path | None,
        Option(
            "--split",
            metavar="FILE",
            show_default="half of the papers each",
            help="Split whose dev and test papers tell what is related in val and test: an encoder "
            "that was trained on its train papers has not seen it.",
        ),
    ] = None,
    queries: Annotated[
        int, Option("--queries", min=1, help="Queries of a ranking task at most.")
    ] = 500,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Make a directory of SciDocs out of an index, to compare encoders on one's own papers.

    Classes are venues and categories; cite and co-cite are the index's citations; what readers
    view, read and click is simulated from them.
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
    papers: Annotated[Path, Argument(metavar="PAPERS", help="File of papers as `build` reads it.")],
    embeddings: Annotated[
        list[str],
        Option(
            "--embeddings",
            metavar="[NAME=]FILE",
            help="Vectors of the papers, as `embed` writes them; may be repeated, to compare.",
        ),
    ],
    label: Annotated[
        str,
        Option(
            "--label",
            metavar="NAME",
            help="What the classes are: venue, keyphrases, or labels.NAME of the papers' labels.",
        ),
    ],
    most_classes: Annotated[
        int | None,
        Option(
            "--classes", min=2, show_default="all", help="Classes at most, the most frequent ones."
        ),
    ] = None,
    min_count: Annotated[
        int, Option("--min-count", min=4, help="Papers that a class has at least.")
    ] = 20,
    most: Annotated[
        int | None,
        Option("--papers", min=8, show_default="all", help="Papers at most, drawn by chance."),
    ] = None,
    probes: Annotated[
        str,
        Option(
            "--probes",
            metavar="NAMES",
            help="Some of linear, clusters, retrieval, map; commas between them.",
        ),
    ] = "linear,clusters,retrieval,map",
    seen: Annotated[
        Path | None,
        Option(
            "--seen",
            metavar="FILE",
            help="Names of classes that an encoder was trained to tell, one on each line: papers "
            "of these and of the other classes are probed apart.",
        ),
    ] = None,
    unseen: Annotated[
        float | None,
        Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Part seen from unseen classes by --seed instead; the share that is unseen.",
        ),
    ] = None,
    runs: Annotated[
        int, Option("--runs", min=1, help="Times that papers are dealt out to folds anew.")
    ] = 1,
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            help="Folder for the HTML page, figures, maps, and what was told of each paper.",
        ),
    ] = None,
    output: Output = "table",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Tell how well vectors of papers separate classes such as venues or categories.

    Linear evaluation with tests of every pair of embeddings, purity of clusters, retrieval of pairs
    by correlation, and t-SNE maps. All embeddings are probed with the same papers.
    """
    from recsys.app.answer_writing import emit, made, note
    from recsys.app.bars import shown_progress
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
    for sentence in found.notes:
        note(sentence, quiet=quiet)
    read = {f"vectors of {name}": path for name, path in files.items()}
    page = report_probes.probe_page(found, made(seed, papers=papers, **read))
    if out is not None:
        report_probes.write_folder(out, found, page)
    emit(FORMATS[output](page))


def compare_encoders(
    index: Index,
    split: Split,
    encoders: Annotated[
        list[str],
        Option(
            "--encoder",
            metavar="NAME",
            help="What `embed` takes as an encoder, NAME=FOLDER to call it otherwise, or NAME=FILE "
            "for vectors made elsewhere; with --labels NAME=FILE,FILE, the second one of the "
            "labelled papers; may be repeated.",
        ),
    ],
    out: Annotated[
        Path,
        Option(
            "--out",
            metavar="DIR",
            help="Folder for the page, and for all that need not be done again.",
        ),
    ],
    labels: Annotated[
        Path | None,
        Option(
            "--labels",
            metavar="PAPERS",
            show_default="no probes",
            help="File of papers with labels, for the probes.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        Option(
            "--label",
            metavar="NAME",
            help="What the probes' classes are: venue, keyphrases, or labels.NAME.",
        ),
    ] = None,
    most: Annotated[
        int | None,
        Option(
            "--papers", min=8, show_default="all", help="Labelled papers at most, drawn by chance."
        ),
    ] = None,
    min_count: Annotated[
        int, Option("--min-count", min=4, help="Labelled papers that a class has at least.")
    ] = 20,
    queries: Annotated[
        int,
        Option("--queries", min=0, help="Queries of a ranking task of SciDocs; 0: no such tasks."),
    ] = 500,
    reference: Annotated[
        str | None,
        Option(
            "--reference",
            metavar="NAME",
            show_default="minilm, else the first",
            help="Encoder that the others are tested against.",
        ),
    ] = None,
    dim: Annotated[
        int, Option("--dim", min=1, help="Length of a vector of a baseline that is fit.")
    ] = 300,
    part: Annotated[AskedPart, Option("--part", help="Whose queries are asked.")] = "test",
    precision: Annotated[
        Precision, Option("--precision", help="Numbers in which encoders compute.")
    ] = "int8",
    output: Output = "table",
    seed: Seed = 0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> int:
    """Compare encoders: recommendations, SciDocs' tasks, probes, speed and size, in one table.

    An index is built on the vectors of each, with a ranker of its own. What is finished is kept in
    DIR: the same command continues, and only does what is new. The exit code is 1 when a part of a
    row failed; the notes say why.
    """
    from recsys.app.answer_writing import emit, made, note
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.wiring import open_index
    from recsys.eval.report.page import FORMATS
    from recsys.eval.studies.encoders import report_encoders
    from recsys.pipelines.studies import compared_encoders, encoder_comparison

    options = compared_encoders.CompareOptions(
        part=part, label=label, papers=most, least=min_count, queries=queries,
        reference=reference, dim=dim, precision=precision, seed=seed, jobs=jobs,
    )  # fmt: skip
    with shown_progress(quiet=quiet) as progress:
        found = encoder_comparison.compare_encoders(
            index, split, compared_encoders.wanted(encoders), options, out, labelled=labels,
            cache=cache_folder(), open_index=open_index, progress=progress,
        )  # fmt: skip
    read = {"split": split} | ({} if labels is None else {"labelled papers": labels})
    page = report_encoders.encoders_page(found, made(seed, index=index / "manifest.json", **read))
    report_encoders.write_folder(out, found, page)
    emit(FORMATS[output](page))
    failures = found.failures()
    note("\n".join(failures), quiet=quiet or not failures)
    return 1 if failures else 0
