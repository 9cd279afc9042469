"""Read one input by every reader that takes it, each in a process that may be killed: what it cost.

    python -m tests.inputs.reading nested 1000 100000

writes a line of JSON for each case; `costs` does so from a test.
"""

import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import docx

from recsys.errors import RecsysError
from recsys.eval.studies.clicks.click_log import read_clicks
from recsys.eval.trec import read_qrels, read_run
from recsys.formats.drafts import (
    bundle,
    markdown_files,
    objects,
    pdf,
    plain,
    typst_draft,
    word_draft,
)
from recsys.formats.drafts.draft_formats import open_draft
from recsys.formats.embeddings.embedding_files import read_lines
from recsys.formats.latex import latex_draft
from recsys.formats.references.reference_formats import read_bibliography
from recsys.pipelines.corpora.collect import AS_TOLD, collect
from recsys.pipelines.corpora.source_files import source_files
from recsys.protocols import silent
from tests.inputs import long, nested

LOADED = (
    *(bundle, docx, markdown_files, latex_draft, objects, pdf, plain, typst_draft),
    word_draft,
)
"""What formats load when they are asked for: here, before anything is measured."""
LIMIT = 30
"""Seconds after which a reader is killed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What reading one input took: processor seconds, MB above those of reading nothing.

    outcome: "read", the class of the error that refused it, or the number of the signal that ended
    it. said: the error.
    """

    name: str
    reader: str
    levels: int
    size: int
    outcome: str
    said: str
    seconds: float
    memory: float


def _papers(path: Path) -> None:
    place = path.with_suffix(".read")
    papers, _ = collect(source_files([path]), place, AS_TOLD, cache=path.parent / "pdfs")
    papers.table()


READERS: Mapping[str, Callable[[Path], object]] = {
    "draft": lambda path: open_draft(path).manuscript,
    "references": read_bibliography,
    "corpus": _papers,
    "vectors": lambda path: read_lines(path, silent),
    "clicks": read_clicks,
    "run": read_run,
    "qrels": read_qrels,
}
"""Every reader by its name."""
_TAKES = {
    ".jsonl": ("corpus", "references"),
    ".vectors": ("vectors",),
    ".clicks": ("clicks",),
    ".trec": ("run",),
    ".qrels": ("qrels",),
    ".tex": ("draft",),
    ".pdf": ("draft",),
    ".docx": ("draft",),
    ".zip": ("draft",),
    ".md": ("draft",),
    ".json": ("draft", "references", "corpus"),
    ".csv": ("draft", "references", "corpus"),
    **dict.fromkeys((".wos", ".nbib", ".enw", ".xml", ".tsv"), ("corpus",)),
}
"""What reads a suffix; a draft and references where nothing is said."""


def of_each_kind(levels: int) -> Iterator[tuple[str, str, bytes]]:
    """Give one case of either table for every kind of file: the last, which is of the worst."""
    for cases in (nested.cases, long.rows):
        yield from {case[1]: case for case in cases(levels)}.values()


def costs(cases: Iterator[tuple[str, str, bytes]], levels: int) -> Iterator[Cost]:
    """Read each case by each of its readers."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.txt")
        empty.write_text("On rivers", encoding="utf-8")
        at_rest = _cost(("", "draft", 0), empty).memory
        for name, suffix, raw in cases:
            path = Path(folder, f"file{suffix}")
            path.write_bytes(raw)
            for reader in readers_of(suffix):
                yield _cost((name, reader, levels), path, at_rest)


def readers_of(suffix: str) -> tuple[str, ...]:
    return _TAKES.get(suffix, ("draft", "references"))


def _cost(what: tuple[str, str, int], path: Path, at_rest: float = 0) -> Cost:
    """Read a file in a process of its own."""
    name, reader, levels = what
    out, into = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(LIMIT)
        os.write(into, json.dumps(outcome(READERS[reader], path)).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        raw = pipe.read()
    _, status, used = os.wait4(child, 0)
    ended, said = json.loads(raw) if raw else (f"signal {os.WTERMSIG(status)}", "")
    memory = used.ru_maxrss / 1024 - at_rest
    seconds = used.ru_utime + used.ru_stime
    size = path.stat().st_size
    return Cost(name, reader, levels, size, ended, said, round(seconds, 3), round(memory, 1))


def outcome(read: Callable[[Path], object], path: Path) -> tuple[str, str]:
    """Read a file here: "read" or the class of what was raised, and what that says."""
    try:
        read(path)
    except RecsysError as error:
        return type(error).__name__, str(error)[:500]
    except BaseException as error:  # What a reader must never let through.
        return f"foreign {type(error).__name__}", str(error)[:500]
    return "read", ""


def main(table: str, *levels: str) -> None:
    """Write what every case of a table costs, a line each."""
    tables = {"nested": nested.cases, "long": long.cases, "rows": long.rows, "each": of_each_kind}
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, resource.RLIM_INFINITY))
    for level in map(int, levels):
        for cost in costs(tables[table](level), level):
            sys.stdout.write(json.dumps(asdict(cost)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
