"""Take in the works of files one after the other, and count what was odd and rejected."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from recsys.errors import CorpusError, InputError
from recsys.formats.exports.zotero_database import is_library
from recsys.formats.papers.language import language_of
from recsys.formats.source_formats import TABLE
from recsys.formats.work_stream import Found, Reject, Remark, WorkStream, open_works
from recsys.pipelines.corpora.collect_report import FileRead
from recsys.pipelines.corpora.known_papers import KnownPapers
from recsys.pipelines.corpora.library_works import PdfReading, library_stream, pdf_stream
from recsys.pipelines.corpora.source_files import SourceFile, is_pdf
from recsys.pipelines.corpora.work_table import Space, WorkIntake, Works
from recsys.progress import Progress, silent
from recsys.records import Reference


class SourceIntake:
    """Reads files, counts what was odd and rejected; the reject file exists once there is one."""

    def __init__(self, rejects: Path, pdfs: PdfReading, tables: Sequence[str] = ()) -> None:
        """Begin with no work; tables: names without suffix of tables that others read before."""
        self.files: list[FileRead] = []
        self.skipped: list[str] = []
        self.rejected: Counter[str] = Counter()
        self.oddities: Counter[str] = Counter()
        self.remarks: Counter[str] = Counter()
        self.languages: Counter[str] = Counter()
        self._works = WorkIntake(rejects.parent)
        self._spaces: dict[str, int] = {}
        self._pdfs = pdfs
        self._begun = False
        self._scopes = [*tables]
        self._path = rejects
        self._file: TextIO | None = None

    def read_all(
        self, files: Sequence[SourceFile], columns: Mapping[str, str], progress: Progress = silent
    ) -> None:
        """Read files in their order, but PDFs after all others; raises as `read` does."""
        for file in files:
            if not is_pdf(file.path):
                self.read(file, columns, progress)
        self.read_pdfs([file.path for file in files if is_pdf(file.path)])

    def read(self, file: SourceFile, columns: Mapping[str, str], progress: Progress) -> None:
        """Read a file; one that only lies in a folder may be none of works.

        Raises:
            InputError: a file that was named cannot be read, or lacks these columns; one that gave
                works is damaged further on.
        """
        self._begun = False
        try:
            if is_library(file.path):
                self._take(file.path, library_stream(file.path, self._pdfs))
                return
            with open_works(file.path, columns=columns, progress=progress) as stream:
                self._take(file.path, stream)
        except InputError as error:
            told = error.what.removeprefix(f"{file.path} ")
            if not (file.named or self._begun):
                self.skipped.append(f"{file.path}: {told}")
            elif told == error.what:  # What is wrong with a table is found without its name.
                raise CorpusError(f"{file.path}: {told}", error.hint) from error
            else:
                raise

    def read_pdfs(self, paths: Sequence[Path]) -> None:
        """Read PDFs, which come after all other files."""
        if paths:
            name = paths[0] if len(paths) == 1 else Path(f"{len(paths):,} PDFs")
            self._take(name, pdf_stream(paths, self._pdfs))

    def read_stream(self, name: str, stream: WorkStream) -> None:
        """Read works that lie in no file; name: what the report calls them."""
        self._take(Path(name), stream)

    def _take(self, path: Path, stream: WorkStream) -> None:
        before = self._works.count
        self._works.add(self._works_of(path, stream), self._space(path, stream))
        self.oddities += stream.oddities
        self.files.append(FileRead(path.name, stream.format, self._works.count - before))

    def taken(self) -> Works:
        """Return all works."""
        return self._works.taken()

    def taken_beside(self, known: KnownPapers) -> Works:
        """Return all works, and the papers of an index that they are."""
        read = self._works.taken()
        same = WorkIntake(self._path.parent)
        same.add(iter(known.meant(read.works)), Space(len(self._spaces), sealed=True))
        return replace(read, works=read.works.followed_by(same.taken().works.table()))

    def _space(self, path: Path, stream: WorkStream) -> Space:
        """Number the id space: a file of ours has its own, all files of a service have one."""
        name = str(path) if stream.sealed else stream.format
        return Space(self._spaces.setdefault(name, len(self._spaces)), stream.sealed)

    def _works_of(self, path: Path, stream: WorkStream) -> Iterator[Reference]:
        items = _distinct(stream.items) if stream.sealed else stream.items
        scope = self._scope(path) if stream.format == TABLE.name else None
        for item in items:
            if isinstance(item, Reject):
                self._reject(path, item)
            else:
                self._begun = True
                self.remarks.update(item.remarks)
                if Remark.NOT_ENGLISH in item.remarks:
                    text = f"{item.work.title} {item.work.abstract or ''}"
                    self.languages[language_of(text) or "unknown"] += 1
                yield item.work if scope is None else _scoped(item.work, scope)

    def _scope(self, path: Path) -> str:
        """Name the running numbers of a table; other folders may have one of the same name."""
        before = self._scopes.count(path.stem)
        self._scopes.append(path.stem)
        return f"{path.stem}-{before + 1}" if before else path.stem

    def _reject(self, path: Path, reject: Reject) -> None:
        self.rejected[reject.reason] += 1
        if self._file is None:
            self._file = self._path.open("w", encoding="utf-8", errors="replace")
        line = {"file": path.name, "line": reject.line, "reason": reject.reason}
        self._file.write(json.dumps(line | {"excerpt": reject.excerpt}, ensure_ascii=False) + "\n")

    def __enter__(self) -> "SourceIntake":
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _distinct(items: Iterable[Found | Reject]) -> Iterator[Found | Reject]:
    """Reject the works of a file of ours whose id was seen before: the first wins."""
    seen: set[str] = set()
    for item in items:
        if isinstance(item, Found) and (paper_id := item.work.id) is not None:
            if paper_id in seen:
                excerpt = f"{paper_id}: {item.work.title}"[:200]
                yield Reject(item.line, "duplicate id", excerpt)
                continue
            seen.add(paper_id)
        yield item


def _scoped(work: Reference, name: str) -> Reference:
    """Keep the running numbers of one table apart from those of another."""
    if not (work.id and work.id.isdecimal()):
        return work
    cited = tuple(f"{name}:{each}" if each.isdecimal() else each for each in work.cited_ids)
    return replace(work, id=f"{name}:{work.id}", cited_ids=cited)
