"""Read the running text of a draft in any format, as sentences.

Formats are recognised as `recsys.formats.drafts` recognises them. A new one is a module with
`read`, and a row of BODIES.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from recsys.errors import DraftError, InputError
from recsys.formats.drafts.citing import resolve
from recsys.formats.drafts.draft_formats import format_of, parse_manuscript
from recsys.formats.drafts.folder import Bundle, Folder
from recsys.formats.files import display_name, read_bytes
from recsys.passages import Body, Mark, Sentence
from recsys.records import Manuscript, Reference


@dataclass(frozen=True, slots=True)
class BodyFormat:
    """One row of the table of formats.

    name: as in `drafts.draft_formats`. module: has `read`, which takes the bytes and the path of a
    draft and gives a `Body`. names_files: `read` takes the folder of the files that it may name,
    too. lists: `read` gives the references itself; else they are those of the manuscript.
    """

    name: str
    module: str
    names_files: bool = False
    lists: bool = False

    def read(self, raw: bytes, path: Path, folder: Folder | None = None) -> Body:
        """Read a draft of the format; see `parse_body`."""
        read = import_module(self.module).read
        body: Body = read(raw, path, folder) if self.names_files else read(raw, path)
        return body


BODIES = (
    BodyFormat("LaTeX", "recsys.formats.bodies.latex_body", names_files=True),
    BodyFormat("Markdown", "recsys.formats.bodies.markdown_body", names_files=True),
    BodyFormat("plain text", "recsys.formats.bodies.plain_body"),
    BodyFormat("Word", "recsys.formats.bodies.word_body", lists=True),
    BodyFormat("PDF", "recsys.formats.bodies.pdf_body", lists=True),
)


def read_body(path: Path, *, manuscript: Manuscript | None = None) -> Body:
    """Read the running text of a draft, or of standard input when the path is `-`.

    Args:
        path: the file.
        manuscript: what was read of the same draft already; saves reading its references again.

    Raises:
        InputError: the file cannot be read, or (DraftError) has no running text.
        MissingExtraError: its format needs a package that is not installed.
    """
    if path.is_dir():
        from recsys.formats.drafts.project import draft_in_project

        return _inside(draft_in_project(path), display_name(path), manuscript)
    return parse_body(read_bytes(path), path, manuscript=manuscript)


def parse_body(
    raw: bytes, path: Path, *, folder: Folder | None = None, manuscript: Manuscript | None = None
) -> Body:
    """Read the running text in the bytes of a draft.

    Args:
        raw: the draft.
        path: what it is called.
        folder: the files that it may name; unless given, those of its folder on the disk.
        manuscript: see `read_body`.

    Raises:
        InputError, MissingExtraError: see `read_body`.
    """
    name = display_name(path)
    if not raw.strip():
        raise DraftError(f"{name} is empty.", "Give a draft with running text.")
    kind = format_of(path, raw).name
    if kind == "ZIP":
        return _packed(raw, path, manuscript)
    row = next((row for row in BODIES if row.name == kind), None)
    if row is None:
        raise DraftError(
            f"{name} is {kind}: it has no running text to look for gaps in.",
            "Give the draft itself: LaTeX, Markdown, Word, PDF or plain text.",
        )
    body = row.read(raw, path, folder)
    if not row.lists:
        body = replace(body, references=_references(raw, path, folder, manuscript))
    if not body.sentences:
        raise DraftError(
            f"{name} has no sentence of running text.",
            "Title, abstract, tables, captions and lists of references do not count.",
        )
    return _named_by_bibliography(body)


def _packed(raw: bytes, path: Path, manuscript: Manuscript | None) -> Body:
    """Read the one draft of a zip, or a document of Word that is called so."""
    from recsys.formats.drafts.archive import Archive
    from recsys.formats.drafts.bundle import draft_in
    from recsys.formats.word.word_text import is_word

    if is_word(Archive(raw, display_name(path)).names):
        return parse_body(raw, path.with_suffix(".docx"), manuscript=manuscript)
    return _inside(draft_in(raw, path), display_name(path), manuscript)


def _inside(
    found: tuple[Bundle, tuple[str, ...]], project: str, manuscript: Manuscript | None
) -> Body:
    """Read the draft of a project."""
    bundle, notes = found
    name = str(bundle.draft)
    inside = bundle.content(name)
    if format_of(Path(name), inside).name == "ZIP":
        raise DraftError(f"{project} is an archive in an archive.", "Unpack it first.")
    body = parse_body(inside, Path(name), folder=bundle, manuscript=manuscript)
    sentences = (replace(each, file=each.file or name) for each in body.sentences)
    return replace(body, sentences=tuple(sentences), notes=(*notes, *body.notes))


def _references(
    raw: bytes, path: Path, folder: Folder | None, manuscript: Manuscript | None
) -> tuple[Reference, ...]:
    if manuscript is None:
        try:
            manuscript = parse_manuscript(raw, path, folder=folder)
        except InputError:  # A part of a draft has neither a title nor references.
            return ()
    return manuscript.references


def _named_by_bibliography(body: Body) -> Body:
    """Spell the keys of marks as the bibliography does, and say which ones it lacks."""
    cited = tuple(dict.fromkeys(key for each in body.sentences for key in each.cited))
    known = {work.key for work in body.references}
    folded = {work.key.casefold(): work.key for work in reversed(body.references)}
    spelt = {key: folded[key.casefold()] for key in cited if key.casefold() in folded}
    changed = {key: new for key, new in spelt.items() if key not in known}
    notes = resolve(cited, body.references).notes if cited else ()
    sentences = tuple(_respelt(each, changed) for each in body.sentences) if changed else ()
    return replace(
        body,
        sentences=sentences or body.sentences,
        notes=tuple(dict.fromkeys((*body.notes, *notes))),
    )


def _respelt(sentence: Sentence, spelling: dict[str, str]) -> Sentence:
    def respelt(mark: Mark) -> Mark:
        return replace(mark, keys=tuple(spelling.get(key, key) for key in mark.keys))

    return replace(sentence, marks=tuple(map(respelt, sentence.marks)))
