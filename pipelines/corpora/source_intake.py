"""Take in the works of files one after the other, and count what was odd and rejected."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

from recsys.errors import CorpusError, InputError, RecsysError
from recsys.formats.exports.zotero_database import is_library
from recsys.formats.papers.language import language_of
from recsys.formats.source_formats import TABLE
from recsys.formats.work_stream import Found, Reject, Remark, WorkStream, open_works
from recsys.pipelines.corpora.pdf_folder import library_stream, pdf_stream
from recsys.pipelines.corpora.source_files import SourceFile, address, fetched, is_pdf
from recsys.pipelines.corpora.works import WorkWriter
from recsys.pipelines.jobs.kept_results import MadeFiles, ShardFiles
from recsys.protocols import Progress, silent
from recsys.records import Reference

REJECTS = "rejects.jsonl"
"""One line {file, line, reason, excerpt} for each record of the sources that gave no work."""
COUNTED = ("rejected", "oddities", "unread", "remarks", "languages")
"""What is counted of the records of files: how often each reason, field, and language occurs."""


class SourceIntake:
    """Reads files into a folder of columns, and counts what was odd and rejected.

    files: (name, format, works) of each file that was read. skipped: those that held no works, and
    why. The reject file exists once there is a reject.
    """

    def __init__(
        self, folder: Path, cache: Path, tables: Sequence[str] = (), progress: Progress = silent
    ) -> None:
        """Begin with no work.

        Args:
            folder: to fill.
            cache: where PDFs that were read are kept.
            tables: names without suffix of tables that others read before.
            progress: told the bytes read so far, and PDFs.
        """
        self.folder, self._cache, self._progress = folder, cache, progress
        self.files: list[tuple[str, str, int]] = []
        self.skipped: list[str] = []
        self.counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}
        self._works = WorkWriter(folder)
        self._spaces: dict[tuple[str, bool], int] = {}
        self._begun = False
        self._scopes = [*tables]
        self._rejects: TextIO | None = None

    def read_all(self, files: Sequence[SourceFile], columns: Mapping[str, str]) -> None:
        """Read files in their order, but PDFs after all others; raises as `read` does."""
        pdfs = [file.path for file in files if is_pdf(file.path)]
        for file in files:
            if file.path not in pdfs:
                self.read(file, columns)
        if pdfs:
            name = pdfs[0] if len(pdfs) == 1 else Path(f"{len(pdfs):,} PDFs")
            self.read_stream(name, pdf_stream(pdfs, self._cache, self._progress))

    def read(self, file: SourceFile, columns: Mapping[str, str]) -> None:
        """Read a file; one that only lies in a folder may be none of works.

        Raises:
            InputError: a file that was named cannot be read, or lacks these columns; one that gave
                works is damaged further on.
        """
        self._begun = False
        try:
            if is_library(file.path):
                self.read_stream(file.path, library_stream(file.path, self._cache, self._progress))
                return
            with open_works(file.path, columns=columns, progress=self._progress) as stream:
                self.read_stream(file.path, stream)
        except InputError as error:
            what = error.what.removeprefix(f"{file.path} ")
            if not (file.named or self._begun):
                self.skipped.append(f"{file.path}: {what}")
            elif what == error.what:  # What is wrong with a table is found without its name.
                raise CorpusError(f"{file.path}: {what}", error.hint) from error
            else:
                raise

    def read_stream(self, path: Path, stream: WorkStream) -> None:
        """Read works; path: of their file, or what the report calls them.

        A file of ours has an id space of its own, all files of a service have one.
        """
        before = self._works.count
        key = str(path) if stream.sealed else stream.format, stream.sealed
        space = self._spaces.setdefault(key, len(self._spaces))
        self._works.add(self._works_of(path, stream), space, sealed=stream.sealed)
        self.counts["oddities"] += stream.oddities
        self.counts["unread"] += stream.unread
        self.files.append((path.name, stream.format, self._works.count - before))

    def shard(self) -> ShardFiles:
        """Finish the files, and return them with all that was counted."""
        self.close()
        works = self._works
        facts: dict[str, Any] = {
            "files": self.files,
            "skipped": self.skipped,
            "works": works.count,
            "cited": works.cited,
            "spaces": list(self._spaces),
            "given": sorted(works.given),
            "spaceless": works.spaceless,
        }
        return ShardFiles(self.folder, facts | self.counts)

    def _works_of(self, path: Path, stream: WorkStream) -> Iterator[Reference]:
        scope, seen = None, set[str]()
        if stream.format == TABLE.name:  # Other folders may have a table of the same name.
            before = self._scopes.count(path.stem)
            self._scopes.append(path.stem)
            scope = f"{path.stem}-{before + 1}" if before else path.stem
        for item in stream.items:
            own = item.work.id if stream.sealed and isinstance(item, Found) else None
            if own in seen and isinstance(item, Found):  # The first of a file of ours wins.
                excerpt = f"{own}: {item.work.title}"[:200]
                item = Reject(item.line, "duplicate id", excerpt)
            elif own is not None:
                seen.add(own)
            if isinstance(item, Reject):
                self._reject(path, item)
                continue
            self._begun = True
            self.counts["remarks"].update(item.remarks)
            if Remark.NOT_ENGLISH in item.remarks:
                text = f"{item.work.title} {item.work.abstract or ''}"
                self.counts["languages"][language_of(text) or "unknown"] += 1
            work = item.work
            if scope is not None and work.id and work.id.isdecimal():
                # Running numbers of one table stay apart from those of another.
                ids = (f"{scope}:{each}" if each.isdecimal() else each for each in work.cited_ids)
                work = replace(work, id=f"{scope}:{work.id}", cited_ids=tuple(ids))
            yield work

    def _reject(self, path: Path, reject: Reject) -> None:
        self.counts["rejected"][reject.reason] += 1
        if self._rejects is None:
            self._rejects = (self.folder / REJECTS).open("w", encoding="utf-8", errors="replace")
        facts = {"file": path.name, "line": reject.line, "reason": reject.reason}
        line = json.dumps(facts | {"excerpt": reject.excerpt}, ensure_ascii=False)
        self._rejects.write(f"{line}\n")

    def close(self) -> None:
        """Finish the files."""
        self._works.close()
        if self._rejects is not None:
            self._rejects.close()


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file that a process reads as a shard of its own.

    named: see `SourceFile`. columns: of a table. tables: names of the tables that are read before.
    """

    path: Path
    named: bool
    columns: tuple[tuple[str, str], ...]
    tables: tuple[str, ...]


def read_file(task: FileTask) -> MadeFiles:
    """Read one file; of a bucket, a copy, which has its own name in what is told."""
    with TemporaryDirectory(prefix="recsys-") as place:
        folder, name = Path(place, "shard"), address(task.path)
        folder.mkdir()
        with closing(SourceIntake(folder, folder, task.tables)) as intake:
            path = fetched(task.path, Path(place))
            try:
                intake.read(SourceFile(path, task.named), dict(task.columns))
            except RecsysError as error:
                error.what = error.what.replace(str(path), name)
                error.args = (error.what,)
                raise
            intake.skipped = [skipped.replace(str(path), name) for skipped in intake.skipped]
            facts = intake.shard().facts
        return MadeFiles({file.name: file.read_bytes() for file in folder.iterdir()}, facts)
