"""Options that mean the same in every command, and the words that they take.

An annotation says of a parameter what typer reads, and beside it what `program.command` does. What
a parameter means is told by its command, else by the module of that, else here, and after
"Default:" what stands for none.

Args:
    index: Index to use: a directory written by `recsys build`, or s3://BUCKET/PATH.
    title: Title of the draft. Default: the draft's own.
    abstract: Abstract of the draft. Default: the draft's own.
    split: JSON file with the paper ids of the train, dev and test queries.
    no_metadata: Ignore authors and venues when ranking.
    candidates: Where candidates come from: any of embedding, nnselect and bm25, separated by
        commas. Default: as the ranker was trained.
    jobs: Number of processes; the result does not depend on it. Default: one per core.
    pooling: How token vectors are pooled: cls for SPECTER, mean for MiniLM. Default: the encoder's
        own.
    no_wait: Fail at once if another process is writing the index, instead of waiting.
    device: Device to compute on; auto uses a GPU if there is one.
    out: Folder to write.
    seed: Random seed.
    quiet: Write no progress and no notes to stderr; errors are still shown.
    engine: Where the work runs: in processes on this machine, or on a Ray cluster (needs
        `citerec[ray]`). The result is the same.
    address: Ray cluster to use: `auto` for the one this machine belongs to, HOST:PORT, or
        ray://HOST:PORT. Default: a new one on this machine.
    num_gpus: With Ray: share of a GPU for each encoding process, such as 0.5.
    sources: Files and folders of papers, plain or .gz; formats are recognised by content: BibTeX,
        RIS, CSV, Web of Science, PubMed, Scopus, OpenAlex, Semantic Scholar, Crossref, Zotero, PDFs
        and more (see docs/guide/sources.md). `zotero://` is the library of the Zotero that runs on
        this machine, `zotero://COLLECTION` part of it (see docs/guide/zotero.md; needs
        `citerec[online]`).
    apart: Keep a preprint and its published version as two papers.
    titles_only: Ignore abstracts: papers are encoded, searched and shown by title. For corpora
        where only some papers have an abstract.
    keyphrases: Put each paper's keyphrases before its abstract, so that they are encoded, searched
        and shown: `keyphrases`, or labels.NAME for one of the papers' labels. Best where authors
        chose them; the draft's keywords are then read as well. Default: none.
    to: Also add the papers to the Zotero that runs on this machine, once you agree to the plan.
        Papers that its library has are only put into COLLECTION, which is created if need be (see
        docs/guide/zotero.md; needs `citerec[online]`). Default: none.
    json_errors: Write errors to stderr as JSON: {"error": {"kind", "what", "hint"}}.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from typer import Argument, Option

from recsys.app.terminal import note, shown_progress
from recsys.errors import RecsysError, UsageError, need
from recsys.protocols import Progress
from recsys.query.question_schema import QuestionOption, options
from recsys.store.words import LABELS, MADE_OF_CITED, OWN_FIELD

if TYPE_CHECKING:
    from recsys.pipelines.corpora.collect import Reading
    from recsys.pipelines.jobs.engines import Engine
    from recsys.records import Paper, PaperId


_PAPERS = (
    "a bibliography (.bib, .ris, CSL or Zotero .json, .csv), or a DOI, arXiv, ACL or corpus id"
)


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Stands in an annotation before the last: the value is where an index lies.

    changed: whether the command may change it. followed: whether it runs on, and shall see what
    others change. kept: whether it remembers the place as it is named, and opens it by itself.
    """

    changed: bool = False
    followed: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """Stands in an annotation before the last: the value is one of the names of a table."""

    names: Iterable[str]


class Without:
    """Stands beside `QuestionOptions` in an annotation: the options that a command does without."""

    def __init__(self, *names: str) -> None:
        self.names = names


def bad_value(why: str, *, option: str) -> UsageError:
    """Say that the value of an option makes no sense."""
    return UsageError(f"Invalid value for {option}: {why}")


def sending(
    to: str | None, *, yes: bool, quiet: bool
) -> "Callable[[Mapping[PaperId, Paper]], None]":
    """Return what brings papers to where --to says, once its plan is agreed to.

    Raises:
        UsageError: there is no such place.
        MissingExtraError: the extra for the web is not installed.
    """
    if to is None:
        return lambda papers: None
    need("httpx2", "Speaking to Zotero")
    from recsys.app.zotero_wiring import destination, send

    part = destination(to)
    return lambda papers: send([*papers.values()], part, yes=yes, quiet=quiet)


def cli_option(option: QuestionOption) -> Any:  # noqa: ANN401  # As `typer.Option` itself.
    """Make typer's option of an option of a question."""
    spec = option.spec
    again = " May be repeated." if option.several else ""
    return Option(
        spec.flag,
        help=spec.help.format(papers=_PAPERS) + again,
        metavar=spec.metavar,
        min=spec.least,
        max=spec.most,
        show_default=True if spec.unset is None else spec.unset,
    )


def named_option(name: str) -> Any:  # noqa: ANN401  # As `typer.Option` itself.
    """Make typer's option of the option of a question that has this name."""
    return cli_option(next(each for each in options() if each.name == name))


Part: TypeAlias = Literal["train", "dev", "test"]
Pooling: TypeAlias = Literal["cls", "mean"]
Precision: TypeAlias = Literal["int8", "f32"]
Device: TypeAlias = Literal["auto", "cpu", "cuda"]
ReportFormat: TypeAlias = Literal["table", "json"]
"""How reports on artifacts are written."""
ComparisonFormat: TypeAlias = Literal["table", "json", "markdown", "latex"]
"""How comparisons of runs are written."""
EvaluationFormat: TypeAlias = Literal["html", "markdown", "json", "latex", "csv"]
"""How reports on evaluations are written."""
ResultFormat: TypeAlias = Literal["table", "json", "markdown", "latex", "html"]
"""How results are written that are small enough for a terminal and good enough for a page."""

Index: TypeAlias = Annotated[Path, IndexPlace(), Argument(metavar="INDEX")]
IndexOrStarter: TypeAlias = Annotated[
    Path | None, IndexPlace(), Option(metavar="DIR", show_default="the starter corpus")
]
ChangedIndex: TypeAlias = Annotated[Path, IndexPlace(changed=True), Argument(metavar="INDEX")]
"""Of a command that writes a new generation."""
OwnWords: TypeAlias = Annotated[str | None, Option(metavar="TEXT")]
"""A title or an abstract that goes before that of the draft."""
Split: TypeAlias = Annotated[Path, Option(metavar="FILE")]
OwnSplit: TypeAlias = Annotated[Path | None, Option(metavar="FILE")]
Candidates: TypeAlias = Annotated[str | None, Option(metavar="NAMES")]
KeyPattern: TypeAlias = Annotated[
    str | None,
    Option(
        "--keys",
        metavar="PATTERN",
        show_default="that of the draft's or the library's keys, else Cohan2020Specter",
        help="Write citation keys by this pattern, such as [auth:lower][year]. Fields: auth, "
        "authors, year, shortyear, title, shorttitle, veryshorttitle; modifiers: lower, upper, "
        "capitalize, abbr.",
    ),
]
KEYS_FOLLOW = "New citation keys follow the pattern of your bibliography, {}; --keys sets another."
AtLeastOne: TypeAlias = Annotated[int, Option(min=1)]
Jobs: TypeAlias = Annotated[int | None, Option(min=1)]
OwnPooling: TypeAlias = Pooling | None
Folder: TypeAlias = Annotated[Path, Option(metavar="DIR")]
Seed: TypeAlias = Annotated[int, Option(min=0)]


@contextmanager
def damage_named(index: Path | None) -> Iterator[None]:
    """Check an index whose use fails in an unforeseen way: a changed byte is the likely cause.

    Raises:
        ArtifactError: instead of the failure, when a checksum does not match.
    """
    try:
        yield
    except RecsysError:
        raise
    except Exception:
        if index is not None:
            from recsys.app.inspection import inspect_artifact

            inspect_artifact(index, hashes=True)
        raise


@contextmanager
def shown_work(index: Path | None, *, quiet: bool) -> Iterator[Progress]:
    """Give what shows progress; what is damaged in an index is named where the work fails."""
    with damage_named(index), shown_progress(quiet=quiet) as progress:
        yield progress


def tell(lines: Iterable[str], *, quiet: bool) -> None:
    """Write lines for people to stderr, unless they asked for quiet."""
    if text := "\n".join(lines):
        note(text, quiet=quiet)


def names_in(text: str | None) -> tuple[str, ...] | None:
    """Split a list with commas; None stays None."""
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


# How commands are told where the work is done that can be shared out.

POOL, RAY = "pool", "ray"
EngineName: TypeAlias = Annotated[str, OneOf((POOL, RAY))]
Address: TypeAlias = Annotated[str | None, Option(metavar="ADDRESS")]
NumGpus: TypeAlias = Annotated[float, Option(min=0)]


@contextmanager
def shared_work(
    index: Path | None,
    engine: str,
    address: str | None,
    *,
    quiet: bool,
    jobs: int | None = None,
    num_gpus: float = 0.0,
) -> Iterator[tuple[Progress, "Engine"]]:
    """Give what shows progress, and the engine that was chosen, connected; see `shown_work`.

    jobs: processes at most; None: one per processor.

    Raises:
        UsageError: what is said of a cluster goes to the pool.
        RecsysError: see `ray_cluster.connected`.
    """
    with shown_work(index, quiet=quiet) as progress:
        if engine == RAY:
            from recsys.pipelines.jobs.ray_cluster import connected

            with connected(address, actors=jobs, gpus=num_gpus) as cluster:
                yield progress, cluster
            return
        for option, given in (("--address", address), ("--num-gpus", num_gpus)):
            if given:
                raise bad_value(f"it is for a cluster: add --engine {RAY}, too.", option=option)
        from recsys.pipelines.jobs.engines import ProcessPool

        yield progress, ProcessPool(jobs)


# How commands are told which files hold papers, and how to read them.

FIELDS = (
    "id title authors year venue abstract doi pmid arxiv url keyphrases volume page references type"
).split()
"""What a column of a table may be named to hold."""

To: TypeAlias = Annotated[str | None, Option(metavar="zotero[:COLLECTION]")]
Sources: TypeAlias = Annotated[list[Path], Argument(metavar="SOURCES")]
Columns: TypeAlias = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="FIELD=NAME,...",
        help="Name the columns of a table whose headers are not recognised: title=TI,year=PY. "
        f"Fields: {', '.join(FIELDS)}.",
    ),
]
Apart: TypeAlias = Annotated[bool, Option("--preprints-apart")]
Keyphrases: TypeAlias = Annotated[str | None, Option(metavar="FIELD")]


def reading_of(
    columns: str | None, keyphrases: str | None, *, apart: bool, titles_only: bool
) -> "Reading":
    """Say how files of papers are read.

    Raises:
        UsageError: the columns are not told as `field=name`, or there is no such field; keyphrases
            are neither `keyphrases` nor `labels.NAME`, or tell what papers cite.
    """
    from recsys.pipelines.corpora.collect import Reading

    named = (keyphrases or "").strip()
    if named == MADE_OF_CITED:
        told = "Keywords Plus are made from the titles that a paper cites; no draft has any."
        raise bad_value(told, option="--keyphrases")
    is_label = named.startswith(LABELS) and named != LABELS
    if keyphrases is not None and named != OWN_FIELD and not is_label:
        what = f"{keyphrases!r} is neither {OWN_FIELD} nor {LABELS}NAME."
        raise bad_value(what, option="--keyphrases")
    return Reading(columns_in(columns), apart, titles_only, named)


def columns_in(text: str | None) -> tuple[tuple[str, str], ...]:
    """Read `title=TI,year=PY` into pairs.

    Raises:
        UsageError: a part has another form, or there is no such field.
    """
    pairs = [part.partition("=") for part in (text or "").split(",") if part.strip()]
    for field, equals, name in pairs:
        if not (equals and name.strip()) or field.strip().lower() not in FIELDS:
            told = f"{field}{equals}{name}"
            what = f"{told!r} is not FIELD=NAME; fields are {', '.join(FIELDS)}."
            raise bad_value(what, option="--columns")
    return tuple((field.strip().lower(), name.strip()) for field, _, name in pairs)
