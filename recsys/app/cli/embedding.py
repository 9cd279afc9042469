"""The command `embed`: vectors of papers, in a file."""

from pathlib import Path
from typing import Annotated, TypeAlias

from recsys.app.cli.declarations import Argument, IndexPlace, Option
from recsys.app.cli.options import EncodingEngineChoices, OwnPooling, Precision

Papers: TypeAlias = Annotated[
    Path,
    IndexPlace(),
    Argument(
        metavar="PAPERS",
        show_default=False,
        help="File of papers as `build` reads it, an index, or a directory of SciDocs.",
    ),
]
OutFile: TypeAlias = Annotated[
    Path,
    Option(
        "--out",
        metavar="FILE",
        show_default=False,
        help="File to write: .jsonl or .jsonl.gz as SPECTER, .parquet, or .npy with the ids "
        "beside it.",
    ),
]
EncoderName: TypeAlias = Annotated[
    str | None,
    Option(
        "--encoder",
        metavar="NAME",
        show_default="minilm, or the vectors that the index has",
        help="`minilm`, `mpnet`, a name on the Hugging Face hub, a local directory, or a "
        "baseline that is fit on the papers: random, tfidf-svd, doc2vec, fasttext, sif, sgc, "
        "nnselect.",
    ),
]
OwnPrecision: TypeAlias = Annotated[
    Precision | None,
    Option("--precision", show_default="int8", help="Numbers in which the encoder computes."),
]
LearnedSplit: TypeAlias = Annotated[
    Path | None,
    Option(
        "--split",
        metavar="FILE",
        show_default="all papers are learned from",
        help="Split of an index, for a baseline: it does not learn from papers newer than the "
        "train queries, nor from what any query cites.",
    ),
]
NetworkIndex: TypeAlias = Annotated[
    Path | None,
    IndexPlace(),
    Option(
        "--nnselect",
        metavar="INDEX",
        show_default="PAPERS",
        help="Index whose trained NNSelect encodes the papers, for the baseline of this name.",
    ),
]


def embed(
    papers: Papers,
    out: OutFile,
    *,
    encoder: EncoderName = None,
    pooling: OwnPooling = None,
    precision: OwnPrecision = None,
    split: LearnedSplit = None,
    nnselect: NetworkIndex = None,
    sharing: EncodingEngineChoices,
) -> None:
    """Write the vectors of papers to a file; a killed run continues where it stopped."""
    from recsys.app.answer_writing import note
    from recsys.app.cache import cache_folder
    from recsys.pipelines.studies.embed import EmbedOptions
    from recsys.pipelines.studies.embed import embed as write

    with sharing.running() as (progress, engine):
        options = EmbedOptions(encoder, pooling, precision, split, nnselect, engine=engine)
        report = write(papers, out, options, cache=cache_folder(), progress=progress)
    note("\n".join(report.lines()), quiet=sharing.quiet)
