"""Read a draft that is several files: a packed project, or files that were given together.

What the files are called is a label: nothing here opens a file of the disk.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Protocol

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.draft_files import Archive, Bundle, bundle_of, inside
from recsys.formats.drafts.draft_formats import FactsAlone, OpenDraft, ParsedDraft, parse_draft
from recsys.formats.drafts.objects import read_list
from recsys.formats.drafts.word_file import (
    CONTENT_TYPES,
    is_open_document,
    is_word,
    open_document_text,
    word_text,
)
from recsys.formats.drafts.wording import clean, counted, short
from recsys.formats.files import display_name
from recsys.records import Body, Manuscript, Reference

LONGEST_NAME = 100
"""Characters of a label."""
MOST_NAMED = 3
_NO_DRAFT_HINT = "Give the draft itself, or pack its sources."

_TEX = (".tex", ".ltx", ".latex", ".rnw", ".snw", ".pnw")
_DRAFTS = (
    *(".docx", ".docm", ".odt", ".md", ".markdown", ".qmd", ".rmd", ".ipynb", ".typ", ".org"),
    *(".pdf", ".txt", ".json"),
)
_BOOKS = (".bib", ".bibtex", ".biblatex", ".ris")
_PREFERRED = ("main", "paper", "ms", "article", "manuscript", "thesis", "root")
_BESIDE = re.compile(r"(?i)supp|append|response|rebuttal|reply|cover|letter|review|slides|poster")
_NO_DRAFT = re.compile(r"(?i)(?:\d*readme|licen[cs]e|copying|change(?:s|log)|notice|manifest)\b")
_WHOLE = re.compile(rb"(?m)^[^%\n]*\\document(?:class|style)(?![A-Za-z])")
_INPUT = re.compile(
    rb"\\(?:sub)?(?:input|include|import|subfile)(?:from|include)?\*?\s*"
    rb"(?:\{[^{}\n]{0,300}\}\s*)??\{([^{}\n]{1,300})\}"
)
_FIGURE = re.compile(
    rb"\\include(?:graphics|pdf)\*?\s*(?:\[[^\]\n]{0,500}\]\s*)?\{([^{}\n]{1,300})\}"
)
_COMPANION = re.compile(
    r"(?i)\.(?:sty|cls|bst|bbx|cbx|lbx|clo|def|cfg|bbl|blg|aux|log|out|toc|fls|fdb_latexmk|synctex|"
    r"png|jpe?g|gif|svg|e?ps|tiff?|webp|ttf|otf|ist|idx|gz)\Z"
)


class Files(Protocol):
    """Files of a project, packed or in a folder: what they are called, and how one is read."""

    name: str
    names: frozenset[str]

    def read(self, name: str) -> bytes:
        """Read a file.

        Raises:
            InputError: it cannot be read.
        """


def parse(raw: bytes, path: Path) -> ParsedDraft:
    """Read a zip: a LaTeX project by its main file, a document of Word, or the one draft in it.

    Raises:
        DraftError: it is damaged, encrypted or too large, or holds no draft, or several.
    """
    name = display_name(path)
    archive = Archive(raw, name)
    if is_word(archive.names):
        from recsys.formats.drafts.word_draft import WordDraft

        return WordDraft(word_text(raw, archive))
    if is_open_document(archive):
        from recsys.formats.drafts.word_draft import manuscript_of

        return FactsAlone(manuscript_of(open_document_text(archive)))
    if CONTENT_TYPES in archive.names or "mimetype" in archive.names:
        raise DraftError(
            f"{name} is a Word or OpenDocument file, or another archive.",
            "Save it as PDF, Markdown or plain text.",
        )
    return parse_files(archive)


def parse_files(files: Files) -> "BundledDraft":
    """Read a LaTeX project by its main file, else the one draft among some files.

    Raises:
        InputError: one cannot be read, or (DraftError) there is no draft, or several.
    """
    from recsys.formats.drafts.markdown_files import main_file  # Few drafts need it.

    if main := main_file(files):
        return BundledDraft(_opened(Bundle(PurePosixPath(main), files.names, files.read)))
    sources = {name: files.read(name) for name in _with(files.names, _TEX)}
    if sources:
        ranked = _ranked(sources)
        draft = _opened(Bundle(PurePosixPath(ranked[0]), files.names, files.read))
        if len(ranked) == 1:
            return BundledDraft(draft)
        main, others = short(ranked[0]), _listed([short(name) for name in ranked[1:]])
        note = f"Of {files.name}, {main} is read as the main file, not {others}."
        return BundledDraft(draft, notes=(note,))
    readable = sorted(_with(files.names, (*_DRAFTS, *_BOOKS)))
    named = [name for name in readable if not _NO_DRAFT.match(PurePosixPath(name).name)]
    if not readable:
        raise DraftError(f"{files.name} holds no draft.", _NO_DRAFT_HINT)
    return read_bundle({name: files.read(name) for name in named or readable})


@dataclass(frozen=True, slots=True)
class BundledDraft:
    """A draft among other files.

    draft: None where all files are lists of references. facts: with the works of the lists; None:
    there are none beside the draft. notes: which file was taken for the draft, where others might
    be.
    """

    draft: OpenDraft | None
    facts: Manuscript | None = None
    notes: tuple[str, ...] = ()

    def manuscript(self) -> Manuscript:
        """Return front matter and references.

        Raises:
            InputError: they cannot be read.
        """
        if self.facts is not None:
            return self.facts
        manuscript = self.draft.manuscript if self.draft else Manuscript()
        return replace(manuscript, notes=(*self.notes, *manuscript.notes))

    def body(self, references: Sequence[Reference]) -> Body | None:
        """Return sentences that name their file; see `ParsedDraft`."""
        if self.draft is None:
            return None
        if self.draft.kind == "ZIP":
            raise DraftError(f"{self.draft.name} is an archive in an archive.", "Unpack it first.")
        body = self.draft.body_citing(references)
        sentences = tuple(
            replace(sentence, file=sentence.file or self.draft.name) for sentence in body.sentences
        )
        return replace(body, sentences=sentences, notes=(*self.notes, *body.notes))


def read_bundle(files: Mapping[str, bytes]) -> BundledDraft:
    """Read files that were given together as one draft: name -> content.

    One file is read as it is alone. Of several one is the draft, and the others are what it names,
    or lists of references, which are added to its own. Names are labels.

    Raises:
        InputError: one cannot be read, or (DraftError) they are no draft, or several.
        MissingExtraError: a format needs a package that is not installed.
    """
    given = labelled(files.items())
    if not given:
        raise DraftError("No file was given.", "Give a draft, or its title and abstract.")
    if len(given) == 1:
        return BundledDraft(_opened(bundle_of(next(iter(given)), given)))
    from recsys.formats.source_formats import LISTS

    listing = {suffix for form in LISTS for suffix in form.suffixes} - {".json"}
    sources = {name: given[name] for name in _with(given, _TEX)}
    ranked, inputs = _ranked(sources), _input_counts(sources)
    whole = [name for name in ranked if _WHOLE.search(sources[name])]
    # Sources that are whole and that no other inputs are drafts of their own.
    drafts = [name for name in whole if not inputs[_stem(name)]] or ranked[:1]
    lists: list[str] = []
    read: dict[str, tuple[OpenDraft, set[str]]] = {}  # With the names of what each had opened.
    failed: dict[str, InputError] = {}
    # What is no LaTeX, nor what it needs: no figure, nor what is printed of it.
    figures = {_stem(name) for text in sources.values() for name in _named(_FIGURE, text)}
    figures.update(map(_stem, sources))
    beside = (name for name in given if not (name in sources or _COMPANION.search(name)))
    for name in beside:
        if name.lower().endswith(".pdf") and _stem(name) in figures:
            continue
        if PurePosixPath(name).suffix.lower() in listing:
            lists.append(name)
            continue
        try:
            read[name] = draft, _ = _read(name, given)
        except InputError as error:
            failed[name] = error
            continue
        says_something = draft.manuscript.title or draft.manuscript.abstract
        (drafts if says_something else lists).append(name)
    # What another one opened is a part of it.
    parts = set[str]().union(*(opened - {name} for name, (_, opened) in read.items()))
    drafts = [name for name in drafts if name not in parts] or drafts[:1]
    if unreadable := [name for name in failed if name not in parts]:
        raise failed[unreadable[0]]
    if len(drafts) > 1:
        names = _listed([short(name) for name in drafts])
        raise DraftError(f"{names} are {len(drafts)} drafts.", "Give them one by one.")
    if not (drafts or lists):
        raise DraftError(f"None of the {len(given)} files is a draft.", "Give its main file, too.")
    if not drafts:
        return BundledDraft(None, _with_lists(Manuscript(), lists, read, given))
    draft, opened = read.get(drafts[0]) or _read(drafts[0], given)
    others = [name for name in lists if name not in opened]
    return BundledDraft(draft, _with_lists(draft.manuscript, others, read, given))


def _with_lists(
    manuscript: Manuscript,
    lists: Sequence[str],
    read: Mapping[str, tuple[OpenDraft, Set[str]]],
    given: Mapping[str, bytes],
) -> Manuscript:
    """Add to what a draft cites the works of lists."""
    alone = manuscript == Manuscript()
    works, notes = list(manuscript.references), list(manuscript.notes)
    for name in lists:
        try:
            listed = (
                read[name][0].manuscript if name in read else read_list(given[name], Path(name))
            )
        except InputError as error:
            notes.append(error.what)
            continue
        works += listed.references
        if listed.references and not alone:
            notes.append(f"{counted(len(listed.references), 'work')} of {short(name)} added.")
        notes += listed.notes
    if not (manuscript.title or manuscript.abstract or works):
        raise DraftError(" ".join(notes) or "The files say nothing.", "Give at least a title.")
    return replace(manuscript, references=tuple(dict.fromkeys(works)), notes=tuple(notes))


def labelled(files: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Give files names that can be shown and compared, each another: see `label`."""
    contents: dict[str, bytes] = {}
    for name, content in files:
        path = PurePosixPath(label(name))
        others = (path.with_stem(f"{path.stem} ({number})") for number in count(2))
        plain = next(name for name in map(str, chain([path], others)) if name not in contents)
        contents[plain] = content
    return contents


def label(name: str) -> str:
    """Make a name fit to be shown: no control characters, not too long, never above its folder."""
    slashed = clean("".join(c if c.isprintable() else " " for c in name.replace("\\", "/")))
    path = inside(slashed) or PurePosixPath(slashed.rpartition("/")[2])
    plain = str(path) if len(str(path)) <= LONGEST_NAME else path.name
    suffix = PurePosixPath(plain).suffix[:16]
    plain = plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - len(suffix)] + suffix
    return "unnamed" if plain in ("", "-", ".", "..") else plain


def _ranked(sources: Mapping[str, bytes]) -> list[str]:
    """Order LaTeX sources by how likely each is the main file; only whole ones where there are."""
    whole = {name: text for name, text in sources.items() if _WHOLE.search(text)} or sources
    inputs = _input_counts(sources)

    def place(name: str) -> tuple[object, ...]:
        stem = _stem(name).lower()
        return (
            inputs[_stem(name)] > 0,
            bool(_BESIDE.search(stem)),
            name.count("/"),
            stem not in _PREFERRED,
            -len(_named(_INPUT, sources[name])),
            -len(sources[name]),
            name,
        )

    return sorted(whole, key=place)


def _input_counts(sources: Mapping[str, bytes]) -> Counter[str]:
    """Count how many sources input a file of each name."""
    named = (set(map(_stem, _named(_INPUT, text))) for text in sources.values())
    return Counter(stem for stems in named for stem in stems)


def _named(pattern: re.Pattern[bytes], text: bytes) -> list[str]:
    return [name.decode("latin-1").strip() for name in pattern.findall(text)]


def _stem(name: str) -> str:
    path = PurePosixPath(name)
    return path.stem if path.suffix.lower() in (*_TEX, ".pdf") else path.name


def _read(name: str, given: Mapping[str, bytes]) -> tuple[OpenDraft, set[str]]:
    """Read a draft, and tell the files that it named and that were read with it."""
    bundle = bundle_of(name, given)
    draft = _opened(bundle)
    _ = draft.manuscript  # Opens what it names.
    return draft, bundle.opened


def _opened(bundle: Bundle) -> OpenDraft:
    name = str(bundle.draft)
    return parse_draft(bundle.content(name), Path(name), folder=bundle)


def _with(names: Iterable[str], suffixes: Sequence[str]) -> list[str]:
    return [name for name in names if PurePosixPath(name).suffix.lower() in suffixes]


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED} more")
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else shown[0]
