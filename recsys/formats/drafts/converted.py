"""Read a draft in reStructuredText or AsciiDoc as the Markdown that pandoc makes of it.

Nothing here understands these formats: where pandoc is not installed, they are refused by name.
"""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.draft_files import Folder
from recsys.formats.drafts.front_matter import FrontMatter
from recsys.formats.drafts.markdown_draft import MarkdownDraft
from recsys.formats.drafts.wording import clean, counted
from recsys.formats.files import decode, display_name
from recsys.records import Manuscript

LONGEST_RUN = 60
"""Seconds that pandoc may take."""

# What pandoc passes over, or stumbles at.
_ABSTRACT = re.compile(r"(?m)^\[abstract\][^\S\n]*$")
_BOOKS_HERE = re.compile(r"(?m)^bibliography::\[[^\]\n]*\][^\S\n]*$")
_BOOKS = re.compile(
    r"(?m)^(?:\.\.[^\S\n]+bibliography::|:bib(?:tex|liography)-?file:)[^\S\n]+(.+)$"
)
_CITED = re.compile(r"cite(?:np|title|alt|author)?:\\?\[([^\[\]]{1,1000}?)\\?\]")
_PAGES = re.compile(r"\([^()]{0,100}\)")
_CITATIONS = re.compile(r"(?ms)^::: \{#citations\}$(.*?)^:::$")
_LABEL = re.compile(r"(?m)^\[([^\[\]\n]{1,100})\]\{#\S+ \.citation-label\}\s*\n\n:[^\S\n]+")
_ADDRESS = re.compile(r" \(<[^<>\s]+@[^<>\s]+>\)")


def read(raw: bytes, path: Path, folder: Folder | None = None) -> Manuscript:
    """Read a draft through pandoc, which may open no file; `folder` holds those that it may name.

    Raises:
        DraftError: pandoc is not installed, or does not understand the draft.
    """
    name = display_name(path)
    is_rst = path.suffix.lower() == ".rst"
    form, what = ("rst", "reStructuredText") if is_rst else ("asciidoc", "AsciiDoc")
    text = decode(raw, name)
    books = [book.strip() for listed in _BOOKS.findall(text) for book in listed.split()]
    if not is_rst:
        text = _BOOKS_HERE.sub("", _ABSTRACT.sub("[.abstract]", text))
    markdown, warnings = _markdown(text, form, f"{name} is {what}", path.with_suffix(".md").name)
    markdown = _CITED.sub(_citation, _ADDRESS.sub("", markdown))
    listed = "\n".join(_CITATIONS.findall(markdown)).replace("*", "").replace("\\", "")
    if listed:  # It stands where the first of its works does.
        works = _LABEL.sub(r"[\1] ", listed)
        markdown = f"{_CITATIONS.sub('', markdown)}\n\n# References\n\n{works}"
    draft = MarkdownDraft(markdown, path, folder, around=FrontMatter(bibliography=tuple(books)))
    found = draft.manuscript()
    return replace(found, notes=(*found.notes, *warnings))


def _markdown(text: str, form: str, what: str, target: str) -> tuple[str, tuple[str, ...]]:
    """Let pandoc convert a text, and count what it warns of."""
    program = shutil.which("pandoc")
    by_hand = f"Convert it with pandoc -f {form} -s -o {target}, and give that file."
    if program is None:
        raise DraftError(f"{what}, which is not a format that is read without pandoc.", by_hand)
    command = (program, "--sandbox", "-f", form, "-t", "markdown", "-s", "--wrap=none")
    try:
        done = subprocess.run(
            (*command, "+RTS", "-M1g", "-RTS"),
            input=text.encode(),
            capture_output=True,
            timeout=LONGEST_RUN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DraftError(f"{what}, and pandoc could not read it: {error}.", by_hand) from error
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        reason = clean(said)[:200].rstrip(".")
        raise DraftError(f"{what}, and pandoc could not read it: {reason}.", by_hand)
    count = said.count("[WARNING]")
    notes = (f"{counted(count, 'thing')} that pandoc left out: {clean(said)[:200]}",)
    return done.stdout.decode("utf-8", "replace"), notes[: bool(count)]


def _citation(match: re.Match[str]) -> str:
    """Write a citation of AsciiDoc as pandoc does."""
    keys = (key.strip() for key in _PAGES.sub("", match[1]).split(","))
    return f"[{'; '.join(f'@{key}' for key in keys if key)}]"
