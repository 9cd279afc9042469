"""Open the files that a draft names, and look up in its bibliographies what it cites by key.

They lie in a folder, in an archive, or in memory; what is read of them is bounded.
"""

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.wording import counted, short
from recsys.formats.files import STDIN, decode_or_guess, read_bytes
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.records import Reference

_TOP = PurePosixPath()
_NO_FOLDER = "standard input has no folder"
_REPOSITORIES = (".git", ".hg", ".svn")
MOST_ENTRIES = 5_000
MOST_BYTES = 64 * 2**20
"""Bytes that all entries together that are read may unpack to."""
LARGEST_ENTRY = 32 * 2**20
"""Bytes that one entry may unpack to."""

# Others may take more memory than what they hold, and nothing that packs drafts uses them.
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY = b"PK\1\2"
_ENCRYPTED = 0x1
_CHUNK = 2**20
_HINT = "Pack only the sources, or give the draft itself."
# What zipfile raises of damage, beside its own error.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError),
    *(ArithmeticError, RuntimeError),
)


class Folder(Protocol):
    """The files that a draft may name."""

    @property
    def draft(self) -> PurePath:
        """The draft's own place among them."""

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file that a draft names, with one of the suffixes added or as it is.

        Args:
            name: the file, relative to the draft's folder.
            suffixes: what the name may lack, such as ".tex".
            near: a folder that is tried next.

        Raises:
            DraftError: there is no such file, or it lies outside, by a link or otherwise.
        """

    def read(self, path: PurePath) -> bytes:
        """Read a file that was found.

        Raises:
            InputError: it cannot be read.
        """

    def beside(self, suffixes: Sequence[str]) -> tuple[str, ...]:
        """Name the files of the draft's own folder that end so, in the order of their names."""


def folder_of(draft: Path, root: Path | None = None) -> Folder:
    """Return the folder in which a draft lies, every link resolved; none for standard input.

    root: nothing outside it is read; unless given, the repository of the draft, else its folder.

    Raises:
        DraftError: the draft lies outside of `root`.
    """
    if draft == STDIN:
        nothing: dict[str, bytes] = {}
        return Bundle(PurePosixPath(STDIN), frozenset(), nothing.__getitem__, lacks=_NO_FOLDER)
    resolved = draft.resolve()
    # A draft that is a link is read where the link is.
    at = draft.parent.resolve() / draft.name
    within = root.resolve() if root else at.parent
    try:
        home = Path.home().resolve()  # It is no repository of one paper, though some keep one so.
    except (RuntimeError, OSError):
        home = None
    for folder in () if root else (at.parent, *at.parent.parents):
        if folder in (folder.parent, home):
            break
        if any((folder / name).exists() for name in _REPOSITORIES):
            within = folder
            break
    if not at.is_relative_to(within):
        raise DraftError(f"{draft} is outside of {root}.", "Give a folder that holds the draft.")
    return DiskFolder(within, resolved, at.parent)


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder of the disk. root: nothing outside it is read. start: where names begin."""

    root: Path
    draft: Path
    start: Path

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file below the root; see `Folder`."""
        outside = False
        for start in dict.fromkeys((self.start, Path(near or self.start))):
            for suffix in (*suffixes, ""):
                try:
                    path = (start / f"{name}{suffix}").resolve()
                    within = path.is_relative_to(self.root)
                    if within and path.is_file():
                        return path
                except (OSError, ValueError, RuntimeError):  # Too long, a NUL, a circle of links.
                    continue
                outside = outside or not within
        if outside:
            raise DraftError(
                f"{short(name)} was not read: it is outside the draft's folder; allow it "
                "with --root DIR."
            )
        raise DraftError(f"{short(name)} was not read: the draft's folder has no such file.")

    def read(self, path: PurePath) -> bytes:
        """Read a file of the disk; see `Folder`."""
        return read_bytes(Path(path))

    def beside(self, suffixes: Sequence[str]) -> tuple[str, ...]:
        """Name files of the draft's folder; see `Folder`."""
        try:
            names = [path.name for path in islice(self.start.iterdir(), MOST_ENTRIES)]
        except OSError:
            return ()
        return tuple(sorted(name for name in names if name.lower().endswith(tuple(suffixes))))


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that are in memory, or packed: what they are called never meets the disk.

    names: normalised (`inside`). content: gives the bytes of a name. loose: the files have lost
    their folders, so that the last part of a name is enough. lacks: why a file is not there.
    opened: the names read so far.
    """

    draft: PurePosixPath
    names: frozenset[str]
    content: Callable[[str], bytes]
    loose: bool = False
    lacks: str = "the draft's folder has no such file"
    opened: set[str] = field(default_factory=set)

    def find(self, name: str, suffixes: Sequence[str], *, near: PurePath | None = None) -> PurePath:
        """Find a file of the bundle; see `Folder`."""
        outside = False
        start = self.draft.parent
        for folder in dict.fromkeys((start, PurePosixPath(near or start))):
            for suffix in (*suffixes, ""):
                path = inside(name + suffix, folder)
                if path is not None and str(path) in self.names:
                    return path
                outside = outside or path is None
        for suffix in (*suffixes, "") if self.loose else ():
            last = PurePosixPath(name + suffix).name
            alike = [path for path in map(PurePosixPath, self.names) if path.name == last]
            if len(alike) == 1:
                return alike[0]
        outside = outside and bool(self.names)
        why = "it is outside the draft's folder" if outside else self.lacks
        raise DraftError(f"{short(name)} was not read: {why}.")

    def read(self, path: PurePath) -> bytes:
        """Read a file of the bundle; see `Folder`."""
        self.opened.add(str(path))
        return self.content(str(path))

    def beside(self, suffixes: Sequence[str]) -> tuple[str, ...]:
        """Name files of the draft's folder; see `Folder`."""
        paths = (
            path for path in map(PurePosixPath, self.names) if path.parent == self.draft.parent
        )
        return tuple(sorted(p.name for p in paths if p.name.lower().endswith(tuple(suffixes))))


def bundle_of(draft: str, files: Mapping[str, bytes]) -> Bundle:
    """Make a bundle of files that were given together, under normalised names."""
    return Bundle(PurePosixPath(draft), frozenset(files), files.__getitem__, loose=True)


def inside(name: str, folder: PurePosixPath = _TOP) -> PurePosixPath | None:
    """Normalise a name below a folder; None where it leads out of the bundle.

    >>> inside("./b/../c.tex", PurePosixPath("a")), inside("../../c"), inside("/c")
    (PurePosixPath('a/c.tex'), None, None)
    """
    if name.startswith("/"):
        return None
    way: list[str] = []
    for part in (*folder.parts, *name.split("/")):
        if part == "..":
            if not way:
                return None
            way.pop()
        elif part not in ("", "."):
            way.append(part)
    return PurePosixPath(*way)


class Archive:
    """The files of a zip by normalised name; `read` unpacks one.

    What is counted is what is unpacked: sizes that the archive claims are only believed when they
    are too large.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        """Open a zip.

        Raises:
            DraftError: it is damaged, or has more entries than a draft has.
        """
        self.name = name
        self._left = MOST_BYTES
        self._unpacked: dict[str, bytes] = {}
        if raw.count(_ENTRY) > 4 * MOST_ENTRIES:  # An object would be made of each of them.
            raise _too_many(name)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
            entries = self._zip.infolist()
        except _DAMAGE as error:
            raise _damaged(name) from error
        if len(entries) > MOST_ENTRIES:
            raise _too_many(name)
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            path = inside(entry.filename.replace("\\", "/"))
            if path in (None, _TOP) or entry.filename.endswith("/"):
                continue
            if not re.search(r"(?:\A|/)(?:\.|__MACOSX)", str(path)):
                self._entries.setdefault(str(path), entry)  # Of one name, the first counts.
        self.names = frozenset(self._entries)

    def check_whole(self) -> None:
        """Refuse an archive that cannot be read whole: no more is unpacked than what it claims.

        Raises:
            DraftError: an entry is encrypted, or they are too large.
        """
        entries = self._zip.infolist()
        for entry in entries:
            self._check(entry)
        largest = max(entries, key=lambda entry: entry.file_size, default=None)
        if largest and sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise self._too_large(largest)

    def read(self, name: str) -> bytes:
        """Unpack a file.

        Raises:
            DraftError: it is encrypted, damaged, or too large.
        """
        if name in self._unpacked:
            return self._unpacked[name]
        entry = self._entries[name]
        self._check(entry)
        pieces: list[bytes] = []
        size = 0
        try:
            with self._zip.open(entry) as file:
                while piece := file.read(_CHUNK):
                    size += len(piece)
                    if size > min(LARGEST_ENTRY, self._left):
                        raise self._too_large(entry)
                    pieces.append(piece)
        except _DAMAGE as error:
            raise _damaged(f"{short(entry.filename)} in {self.name}") from error
        self._left -= size
        self._unpacked[name] = b"".join(pieces)
        return self._unpacked[name]

    def _check(self, entry: zipfile.ZipInfo) -> None:
        if entry.flag_bits & _ENCRYPTED:
            raise DraftError(f"{self.name} is encrypted.", "Pack it without a password.")
        if entry.compress_type not in _READABLE:
            raise DraftError(
                f"{short(entry.filename)} in {self.name} is packed in a way that is not known.",
                "Pack it again as an ordinary zip.",
            )
        if entry.file_size > min(LARGEST_ENTRY, self._left):
            raise self._too_large(entry)

    def _too_large(self, entry: zipfile.ZipInfo) -> DraftError:
        one, whole = LARGEST_ENTRY // 2**20, MOST_BYTES // 2**20
        return DraftError(
            f"{short(entry.filename)} in {self.name} is too large: what is read of an archive may "
            f"unpack to {whole} MB, and each file of it to {one} MB.",
            _HINT,
        )


def _too_many(name: str) -> DraftError:
    return DraftError(f"{name} has more than {MOST_ENTRIES:,} entries.", _HINT)


def _damaged(name: str) -> DraftError:
    return DraftError(f"{name} is damaged: it cannot be unpacked.", "Pack or save it again.")


class Project:
    """The files below a folder of the disk, by their names from there; `read` reads one.

    What is hidden is passed over, and so are pipes and the like, which might be waited for for
    ever, and what a link leads to outside.
    """

    def __init__(self, folder: Path) -> None:
        """List a folder.

        Raises:
            DraftError: it has more files than a project has.
        """
        self.name = str(folder)
        self._root = folder.resolve()
        self._left = MOST_BYTES
        self._contents: dict[str, bytes] = {}
        names, files_seen = set(), 0
        for at, folders, files in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
            files_seen += len(files)
            if files_seen > MOST_ENTRIES:
                raise DraftError(
                    f"{self.name} has more than {MOST_ENTRIES:,} files.",
                    "Give the main file of the draft.",
                )
            for path in (Path(at, name) for name in files if not name.startswith(".")):
                if path.is_file() and path.resolve().is_relative_to(self._root):
                    names.add(path.relative_to(self._root).as_posix())
        self.names = frozenset(names)

    def read(self, name: str) -> bytes:
        """Read a file.

        Raises:
            InputError: it cannot be read, or (DraftError) is too large.
        """
        if name in self._contents:
            return self._contents[name]
        raw = read_bytes(self._root / name)
        if len(raw) > min(LARGEST_ENTRY, self._left):
            raise DraftError(
                f"{short(name)} in {self.name} is too large to be read with the others.",
                "Give the main file of the draft.",
            )
        self._left -= len(raw)
        self._contents[name] = raw
        return raw


MOST_NAMED = 5
"""How many missing keys a note names."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The works that a draft's bibliographies hold, and what is wrong with these.

    details: the same one by one. repeated: keys that occur twice in one of them.
    """

    works: tuple[Reference, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()

    def __add__(self, other: "Shelf") -> "Shelf":
        """Put two shelves together."""
        return Shelf(
            self.works + other.works,
            self.notes + other.notes,
            self.details + other.details,
            self.repeated + other.repeated,
        )


def shelf(folder: Folder, names: Iterable[str], suffixes: Sequence[str]) -> Shelf:
    """Read the bibliography files that a draft names; one that cannot be read becomes a note."""
    books = Shelf()
    for name in names:
        try:
            books += _book(folder, folder.find(name, suffixes))
        except InputError as error:
            books += Shelf((), (error.what,))
    return books


def stand_in(folder: Folder, names: Sequence[str], suffix: str) -> Shelf | None:
    """Read the one bibliography that was given, where none of those that the draft names was.

    Only files that were given together are meant so, not what lies beside a draft.
    """
    given = folder.names if isinstance(folder, Bundle) else ()
    books = [name for name in given if name.lower().endswith(suffix)]
    if len(books) != 1:
        return None
    path = PurePosixPath(books[0])
    try:
        book = _book(folder, path)
    except InputError as error:
        return Shelf((), (error.what,))
    missing = (
        f"{short(names[0])}, which is missing" if names else "a bibliography, for none is named"
    )
    return Shelf((), (f"{short(path.name)} stands in for {missing}.",)) + book


def _book(folder: Folder, path: PurePath) -> Shelf:
    text, note = decode_or_guess(folder.read(path), path.name)
    return Shelf((), (note,) if note else ()) + parsed_book(text, path.name)


def parsed_book(text: str, name: str) -> Shelf:
    """Read the text of a bibliography.

    Raises:
        InputError: it is broken as a whole.
    """
    from recsys.formats.references.bibliography import occur_twice
    from recsys.formats.references.reference_formats import parse_bibliography

    read = parse_bibliography(text, name)
    # How many of the keys that occur twice are cited is told later, with their number.
    twice = occur_twice(len(read.repeated))
    notes = tuple(problem for problem in read.problems if not problem.startswith(twice))
    return Shelf(read.references, notes, read.details, read.repeated)


def look_up(keys: Sequence[str], books: Shelf, others: Sequence[Reference] = ()) -> Shelf:
    """Return what a draft cites of its bibliographies and of other works, with notes on both."""
    from recsys.formats.references.bibliography import occur_twice

    cited = resolve(keys, (*others, *books.works))
    notes = list(books.notes)
    if count := len(books.repeated):
        twice = [key for key in dict.fromkeys(keys) if key in books.repeated]
        named = ", ".join(short(key) for key in twice[:MOST_NAMED])
        more = ", ..." if len(twice) > MOST_NAMED else ""
        verb = "is" if len(twice) == 1 else "are"
        says = f"{len(twice)} of them {verb} cited, and the first counts: {named}{more}."
        if not twice:
            says = f"{'it is not' if count == 1 else 'none of them is'} cited."
        notes.append(f"{occur_twice(count)}; {says}")
    return Shelf(cited.works, (*notes, *cited.notes), books.details)


def resolve(keys: Sequence[str], works: Sequence[Reference]) -> Shelf:
    """Return the works that are cited, in the order of their keys, and a note on missing ones.

    A key is found as it is spelt, else whatever its case. One that `named_by` understands needs no
    bibliography.
    """
    from recsys.formats.bodies.printed_citations import is_gap_key  # Long to compile.

    exact = {work.key: work for work in reversed(works)}
    folded = {work.key.casefold(): work for work in reversed(works)}
    cited: dict[Reference, None] = {}
    missing = []
    for key in keys:
        work = exact.get(key) or folded.get(key.casefold()) or named_by(key)
        if work is not None:
            cited[work] = None
        elif not is_gap_key(key):  # `\cite{?}` names no work: it asks for one.
            missing.append(key)
    if not missing:
        return Shelf(tuple(cited))
    named = ", ".join(short(key) for key in missing[:MOST_NAMED])
    if len(missing) > MOST_NAMED:
        named += f" and {len(missing) - MOST_NAMED} more"
    if cited or works:
        note = f"{counted(len(missing), 'cited key')} not found in the bibliography: {named}."
    else:
        note = f"{counted(len(missing), 'citation')}, none could be looked up: {named}."
    return Shelf(tuple(cited), (note,))


def named_by(key: str, cited: str | None = None) -> Reference | None:
    """Make a work of a key that is an identifier or an address itself, as Manubot cites.

    cited: what the key stands for, where a draft says so.

    >>> [named_by(key) is not None for key in ("pmid:17", "url:https://oak.example", "ash2020")]
    [True, True, False]
    """
    said = cited or key
    scheme, _, value = said.partition(":")
    scheme = scheme.lower()
    pmid = value if scheme in ("pmid", "pubmed") and value.isdecimal() else None
    other = scheme in ("isbn", "pmc", "pmcid", "wikidata") and value
    address = value if scheme == "url" else said
    url = address if re.match(r"(?i)https?://\S", address) else None
    work = Reference(
        key=key,
        doi=doi(said),
        arxiv=arxiv(said),
        acl=acl(said),
        url=url,
        pmid=pmid,
        ids=(f"{scheme.removesuffix('id')}:{value}",) if other else (),
    )
    return work if work != Reference(key=key) else None
