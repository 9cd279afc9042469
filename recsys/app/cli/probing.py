"""The command `probe`: what the classes of papers tell about their vectors."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from recsys.app.cli.declarations import Argument, Option
from recsys.app.cli.options import Quiet, ResultFormat, Seed, names_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassChoices:
    """Which papers are probed, and of which classes."""

    label: Annotated[
        str,
        Option(
            "--label",
            metavar="NAME",
            show_default=False,
            help="What the classes are: venue, keyphrases, or labels.NAME of the papers' labels.",
        ),
    ]
    most_classes: Annotated[
        int | None,
        Option(
            "--classes", min=2, show_default="all", help="Classes at most, the most frequent ones."
        ),
    ] = None
    min_count: Annotated[
        int, Option("--min-count", min=4, help="Papers that a class has at least.")
    ] = 20
    most: Annotated[
        int | None,
        Option("--papers", min=8, show_default="all", help="Papers at most, drawn by chance."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChoices:
    """What is probed, and where the result goes."""

    probes: Annotated[
        str,
        Option(
            "--probes",
            metavar="NAMES",
            help="Some of linear, clusters, retrieval, map; commas between them.",
        ),
    ] = "linear,clusters,retrieval,map"
    seen: Annotated[
        Path | None,
        Option(
            "--seen",
            metavar="FILE",
            show_default=False,
            help="Names of classes that an encoder was trained to tell, one on each line: papers "
            "of these and of the other classes are probed apart.",
        ),
    ] = None
    unseen: Annotated[
        float | None,
        Option(
            "--unseen",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            show_default=False,
            help="Part seen from unseen classes by --seed instead; the share that is unseen.",
        ),
    ] = None
    runs: Annotated[
        int, Option("--runs", min=1, help="Times that papers are dealt out to folds anew.")
    ] = 1
    out: Annotated[
        Path | None,
        Option(
            "--out",
            metavar="DIR",
            show_default=False,
            help="Folder for the HTML page, figures, maps, and what was told of each paper.",
        ),
    ] = None
    output: Annotated[
        ResultFormat, Option("--format", help="How the result is written to stdout.")
    ] = "table"


def probe_embeddings(
    papers: Annotated[
        Path,
        Argument(metavar="PAPERS", show_default=False, help="File of papers as `build` reads it."),
    ],
    embeddings: Annotated[
        list[str],
        Option(
            "--embeddings",
            metavar="[NAME=]FILE",
            show_default=False,
            help="Vectors of the papers, as `embed` writes them; may be repeated, to compare.",
        ),
    ],
    classes: ClassChoices,
    asked: ResultChoices,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Tell how well vectors of papers separate classes such as venues or categories.

    Linear evaluation with tests of every pair of embeddings, purity of clusters, retrieval of pairs
    by correlation, and t-SNE maps. All embeddings are probed with the same papers.
    """
    from recsys.app.bars import shown_progress
    from recsys.app.output import emit, note
    from recsys.app.provenance import made
    from recsys.eval.report.page_formats import FORMATS
    from recsys.eval.studies.probes import paper_classes, probe_pages, report_probes
    from recsys.pipelines.studies.probes import probe, probe_papers

    if asked.out is not None:
        probe_pages.check_folder(asked.out)
    seen = None if asked.seen is None else paper_classes.read_class_names(asked.seen)
    options = probe.ProbeOptions(
        label=classes.label, probes=names_in(asked.probes) or (), classes=classes.most_classes,
        least=classes.min_count, papers=classes.most, seen=seen, unseen=asked.unseen,
        runs=asked.runs, seed=seed,
    )  # fmt: skip
    files = probe_papers.named_files(embeddings)
    with shown_progress(quiet=quiet) as progress:
        found = probe.probe(papers, files, options, progress=progress)
    for sentence in found.notes:
        note(sentence, quiet=quiet)
    read = {f"vectors of {name}": path for name, path in files.items()}
    page = report_probes.probe_page(found, made(seed, papers=papers, **read))
    if asked.out is not None:
        probe_pages.write_folder(asked.out, found, page)
    emit(FORMATS[asked.output](page))
