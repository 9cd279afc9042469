"""Put a draft in Markdown together: the files that it includes, and what its project says of it.

Quarto, bookdown, Manubot and MyST tell in files of their own which chapters a draft has, who wrote
it, and where the works are that it cites.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.draft_files import Folder, folder_of
from recsys.formats.drafts.front_matter import (
    BLOCK,
    LONGEST,
    FrontMatter,
    blank,
    front_matter,
    mapping,
)
from recsys.formats.drafts.included import Inputs, Piece
from recsys.formats.drafts.markdown_draft import MarkdownDraft
from recsys.formats.drafts.wording import LONGEST_TEXT, counted
from recsys.formats.files import checked_json, decode, display_name
from recsys.records import Manuscript

if TYPE_CHECKING:
    from recsys.formats.drafts.bundle import Files

MOST_FOLDERS = 5
"""How far above a draft its project is looked for: the folder of the draft is the first."""
MOST_CHAPTERS = 200
_BOOKS = (".json", ".yaml", ".yml", ".bib")

_TOKEN = re.compile(
    r"""
    ^[ ]{0,9}(?P<fence>`{3,}+|~{3,}+)(?P<head>[^\n]*+)\n
        (?P<inside>.*?)(?:^[ ]{0,9}(?P=fence)[^\n]*(?:\n|\Z)|\Z)
    | <!--.*?(?:-->|\Z)
    | \{\{<[ ]{0,9}include[ ]+["']?(?P<quarto>[^\s"'<>][^"'<>\n]{0,299}?)["']?[ ]{0,9}>\}\}
    | ^[$!]include(?:[ ]+|\()["'`]?(?P<pandoc>[^\s"'`()]{1,300})["'`]?\)?[^\S\n]*$
    | ^:{3,}[ ]*\{include\}[ ]*(?P<myst>[^\s]{1,300})[^\S\n]*$
    | `r[ ](?P<inline>[^`\n]{0,100}?\bknit_child\([^`\n]{1,300})`
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_DIRECTIVE = re.compile(r"\s*\{include\}\s*(\S{1,300})\s*\Z")
_CHILD = re.compile(r"\bchild\s*=\s*([\w.:]{0,30}\([^()]{0,1000}\)|\"[^\"]*\"|'[^']*'|[^,}\s]+)")
_CHILD_LINE = re.compile(r"(?m)^#\|\s*child\s*[:=]\s*([^\n]*(?:\n#\|\s+-[^\n]*)*)")
_KNIT_CHILD = re.compile(r"\bknit_child\(([^()\n]{1,300})")
_PATH_OF = re.compile(r"\s*(?:file\.path|fs::path|here(?:::here)?)\(")
_STRING = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'")
_BARE = re.compile(r"(?:\A|[\s,\[])([\w./-]{1,200}\.\w{1,10})(?=[\s,\]]|\Z)")
_OFF = re.compile(r"\beval\s*=\s*F(?:ALSE)?\b")
_TEMPLATE = re.compile(r"\{##.*?##\}|\{%.{0,500}?%\}|\{\{.{0,500}?\}\}", re.DOTALL)
_BOOKDOWN = re.compile(r"""(?m)^site:\s*["']?bookdown""")
_TOP_HEADING = re.compile(r"(?m)^# \S")
_MYST = re.compile(r"\{cite(?::\w{1,9})?\}`|^\+\+\+", re.MULTILINE)
_HINT = "Save it again as a notebook (.ipynb), or give its text as Markdown."


@dataclass(frozen=True, slots=True)
class Project:
    """What lies around a draft.

    says: what is true of the draft unless it says so itself. before, after: the chapters of which
    it is one. root: the way from the draft's folder to the project's. is_template: whether text in
    braces is filled in later.
    """

    says: FrontMatter = field(default_factory=FrontMatter)
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    root: str | None = None
    is_template: bool = False


def parse(raw: bytes, path: Path, folder: Folder | None = None) -> MarkdownDraft:
    """Read a file of Markdown with those that it includes, and the chapters that its project names.

    Only files below the draft's own folder or its repository are read, or those of `folder` in
    their place.

    Raises:
        InputError: the file is no text, or (DraftError) all together are too long.
    """
    return _draft(decode(raw, display_name(path)), path, folder)


def _draft(text: str, path: Path, folder: Folder | None) -> MarkdownDraft:
    inputs = Inputs(display_name(path), folder or folder_of(path), "Markdown")
    text = text[: LONGEST_TEXT + 1]
    gatherer = _Gatherer(inputs, project_of(text, inputs))
    source = inputs.source(gatherer.whole(text))
    if gatherer.unknown:
        chunks = counted(gatherer.unknown, "chunk")
        note = f"{chunks} with child documents that only R can name: these are not read."
        source = replace(source, notes=(*source.notes, note))
    return MarkdownDraft(source.text, path, inputs.folder, source, gatherer.project.says)


@dataclass(slots=True)
class _Gatherer:
    """What has been gathered so far. unknown: chunks whose child documents have no names."""

    inputs: Inputs
    project: Project
    unknown: int = 0

    def whole(self, text: str) -> Iterator[Piece]:
        """Yield the text of a draft among its chapters, piece by piece."""
        draft = self.inputs.folder.draft
        for name in self.project.before:
            yield from self._opened(name, [draft])
        yield from self._pieces(text, [draft])
        for name in self.project.after:
            yield Piece("\n", draft, max(0, len(text) - 1))
            yield from self._opened(name, [draft])

    def _opened(self, name: str, open_files: list[PurePath]) -> Iterator[Piece]:
        if name.startswith("/") and self.project.root is not None:
            name = self.project.root + name.lstrip("/")
        if opened := self.inputs.open(name, (), open_files):
            path, text = opened
            yield from self._pieces(text, [*open_files, path])
            yield Piece("\n\n", path, max(0, len(text) - 2))

    def _pieces(self, text: str, open_files: list[PurePath]) -> Iterator[Piece]:
        """Yield a file's text piece by piece; `open_files` are the file and those that input it."""
        file = open_files[-1]
        text = _TEMPLATE.sub(blank, text) if self.project.is_template else text
        self.inputs.take(file, text)
        own = BLOCK.match(text) if len(open_files) > 1 else None
        at = own.end() if own else 0
        while match := _TOKEN.search(text, at):
            names = self._names(match)
            yield Piece(text[at : match.start() if names else match.end()], file, at)
            for name in names:
                yield from self._opened(name, open_files)
            at = match.end()
        yield Piece(text[at:], file, at)

    def _names(self, match: re.Match[str]) -> tuple[str, ...]:
        """Name the files that stand in the place of a match."""
        if name := match["quarto"] or match["pandoc"] or match["myst"]:
            return (name,)
        if match["inline"]:
            return self._children([_KNIT_CHILD.search(match["inline"])])
        if match["fence"] is None or _OFF.search(match["head"]):
            return ()
        if directive := _DIRECTIVE.match(match["head"]):
            return (directive[1],)
        if not match["head"].lstrip().startswith("{"):
            return ()
        inside = match["inside"]
        return self._children([_CHILD.search(match["head"]), _CHILD_LINE.search(inside)]) or (
            self._children(_KNIT_CHILD.finditer(inside)) if "knit_child" in inside else ()
        )

    def _children(self, values: Iterable[re.Match[str] | None]) -> tuple[str, ...]:
        """Return the names within some values of R or YAML, and count those that have none."""
        names: list[str] = []
        for value in filter(None, values):
            strings = [one or other for one, other in _STRING.findall(value[1])]
            strings = ["/".join(strings)] if _PATH_OF.match(value[1]) else strings
            strings = strings or _BARE.findall(value[1])
            self.unknown += not strings and value[1].strip() not in ("NULL", "null", "")
            names += filter(None, strings)
        return tuple(names)


def project_of(text: str, inputs: Inputs) -> Project:
    """Tell what project a draft belongs to, by the files beside it and above it."""
    folder = inputs.folder
    name = folder.draft.name
    facts = _values(inputs, "metadata.yaml")
    if facts.get("title") and facts.get("authors") and name[:1].isdigit():
        return _manubot(facts, folder)
    if name.lower() == "index.rmd":
        facts = _values(inputs, "_bookdown.yml")
        if facts or _BOOKDOWN.search(text[:LONGEST]):
            return _bookdown(facts, inputs)
    for way in ("../" * up for up in range(MOST_FOLDERS)):
        if facts := _values(inputs, f"{way}_quarto.yml") or _values(inputs, f"{way}_quarto.yaml"):
            return _quarto(facts, way, inputs)
        if facts := _values(inputs, f"{way}myst.yml"):
            return _myst(facts.get("project"), way, text, folder)
        if facts := _values(inputs, f"{way}_config.yml"):  # Of Jupyter Book.
            if books := facts.get("bibtex_bibfiles"):
                return _myst({"bibliography": books}, way, text, folder)
    return _myst({}, "", text, folder) if _MYST.search(text) else Project()


def _values(inputs: Inputs, name: str) -> Mapping[str, Any]:
    """Read a file of YAML that a project may have: empty where there is none, or it is broken."""
    try:
        path = inputs.folder.find(name, ())
    except InputError:
        return {}
    try:
        value, notes = mapping(decode(inputs.folder.read(path), path.name), path.name)
    except InputError as error:
        inputs.notes.append(error.what)
        return {}
    inputs.notes += notes
    return value


def _manubot(facts: Mapping[str, Any], folder: Folder) -> Project:
    """Read the manuscript as a whole, whichever of its files is the draft."""
    names = [name for name in folder.beside((".md",)) if _is_text_of_manubot(name)]
    books = tuple(n for n in folder.beside(_BOOKS) if n.startswith("manual-references"))
    own = folder.draft.name
    return Project(
        replace(front_matter(facts), bibliography=books),
        tuple(name for name in names[:MOST_CHAPTERS] if name < own),
        tuple(name for name in names[:MOST_CHAPTERS] if name > own),
        is_template=True,
    )


def _is_text_of_manubot(name: str) -> bool:
    """Whether a file is one of the numbered ones, but not of what is filled in by the template."""
    return name[:1].isdigit() and name.endswith(".md") and "front-matter" not in name


def _bookdown(facts: Mapping[str, Any], inputs: Inputs) -> Project:
    """Read the chapters that `_bookdown.yml` names, else all of the folder in their order."""
    named = facts.get("rmd_files")
    if isinstance(named, dict):  # By format: those of the page, or the first.
        named = named.get("html", next(iter(named.values()), None))
    listed = named if isinstance(named, list) else [named] if isinstance(named, str) else []
    if not listed:
        listed = [n for n in inputs.folder.beside((".rmd",)) if not n.startswith("_")]
        if facts.get("rmd_subdir") not in (None, "false", "no"):
            inputs.notes.append("Chapters in folders of their own (rmd_subdir) are not read.")
    names = (name for name in listed if isinstance(name, str))
    return Project(after=tuple(n for n in names if n != inputs.folder.draft.name)[:MOST_CHAPTERS])


def _quarto(facts: Mapping[str, Any], way: str, inputs: Inputs) -> Project:
    """Read what `_quarto.yml` and `_metadata.yml` say; of a book, its chapters, too."""
    files = facts.get("metadata-files")
    for name in (files if isinstance(files, list) else [])[:MOST_FOLDERS]:
        facts = {**_values(inputs, f"{way}{name}"), **facts}
    book = facts.get("book")
    chapters: tuple[str, ...] = ()
    if isinstance(book, dict):
        listed = tuple(_listed([book.get("chapters"), book.get("appendices")]))[:MOST_CHAPTERS]
        is_first = not way and listed[:1] == (inputs.folder.draft.name,)
        # The title of the whole is that of its first file alone.
        kept = book if is_first else {key: book.get(key) for key in ("author", "date")}
        facts = {**{key: value for key, value in kept.items() if value}, **facts}
        chapters = tuple(n for n in listed[1:] if is_first and not n.endswith(".ipynb"))
        if is_first and (notebooks := len(listed) - 1 - len(chapters)):
            inputs.notes.append(f"{counted(notebooks, 'notebook')} among the chapters not read.")
    says = _from(front_matter(facts), way)
    own = _values(inputs, "_metadata.yml")
    return Project(front_matter(own).within(says) if own else says, after=chapters, root=way)


def _listed(value: object) -> Iterator[str]:
    """Yield the files among the chapters of a book and of its parts."""
    if isinstance(value, str) and PurePosixPath(value).suffix:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _listed(item)
    elif isinstance(value, dict):
        yield from _listed([value.get("part"), value.get("file"), value.get("chapters")])


def _myst(facts: object, way: str, text: str, folder: Folder) -> Project:
    """Read what a project of MyST says; where nothing names a bibliography, it has all beside."""
    says = _from(front_matter(facts if isinstance(facts, dict) else {}), way)
    if _TOP_HEADING.search(text):  # The title of the whole is not that of a page.
        says = replace(says, title="")
    return Project(replace(says, beside=folder.beside((".bib",))), root=way)


def _from(says: FrontMatter, way: str) -> FrontMatter:
    """Let bibliographies that a project names be found from the draft's folder."""
    return replace(says, bibliography=tuple(way + name.lstrip("/") for name in says.bibliography))


def main_file(files: "Files") -> str | None:
    """Return the draft among the files of a project that tells; None where none does.

    Raises:
        InputError: what tells is broken.
    """
    for name in sorted(files.names, key=lambda name: (name.count("/"), name)):
        path = PurePosixPath(name)
        beside = {
            p.name: str(p) for p in map(PurePosixPath, files.names) if p.parent == path.parent
        }
        names: Iterable[str] = ()
        if path.name in ("_quarto.yml", "_quarto.yaml"):
            facts, _ = mapping(decode(files.read(name), name), name)
            manuscript = facts.get("manuscript")
            article = manuscript.get("article") if isinstance(manuscript, dict) else None
            names = (str(article), "index.qmd", "index.md", "index.Rmd", "index.ipynb")
        elif path.name == "_bookdown.yml":
            names = ("index.Rmd",)
        elif path.name == "metadata.yaml":
            names = filter(_is_text_of_manubot, sorted(beside))
        elif path.name == "myst.yml":
            names = ("index.md", "paper.md", "main.md")
        if found := next((beside[each] for each in names if each in beside), None):
            return found
    return None


def read_notebook(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a notebook as the Markdown in it; code and what it printed are passed over.

    Raises:
        DraftError: it is no notebook, or its front matter is broken.
    """
    name = display_name(path)
    try:
        value = json.loads(checked_json(decode(raw, name)))
    except RecursionError as error:
        raise DraftError(f"{name} is nested too deeply.", _HINT) from error
    except ValueError as error:
        raise DraftError(f"{name} is not a notebook: it is not JSON.", _HINT) from error
    if not isinstance(value, dict):
        raise DraftError(f"{name} is not a notebook: it has no cells.", _HINT)
    cells = value.get("cells")
    if not isinstance(cells, list):  # As notebooks were kept before version 4.
        sheets = value.get("worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets else {}
        cells = first.get("cells") if isinstance(first, dict) else None
    texts = []
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict):
            source = cell.get("source")
            lines = source if isinstance(source, list) else [source]
            text = "".join(line for line in lines if isinstance(line, str)).strip("\n")
            kind = cell.get("cell_type")
            # Quarto's front matter stands in a raw cell.
            if kind == "markdown" or (kind == "raw" and text.startswith("---")):
                texts.append(text)
            elif kind == "heading":
                texts.append(f"# {text}")
    return _draft("\n\n".join(texts), path, folder).manuscript()
