"""Find what a LaTeX source cites, and the bibliographies that it names or carries within."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recsys.formats.drafts.latex_commands import after_options

EVERYTHING = "*"
"""The key by which `\\nocite` cites the whole bibliography."""

# \cite, \citep*, \Textcite, \footcites, \nocite, an author's own \mycite: all that is named so.
_CITATION = re.compile(r"\\([A-Za-z@]*?[Cc]ite[A-Za-z]*|bibentry)(?![A-Za-z@])\*?")
_NO_CITATION = re.compile(
    r"set|At|Declare|new|renew|ifcite|citestyle|citetext|citereset|citename|citesetup|citefield|"
    r"(?:ex|in|re)cite|[A-Za-z]*cited|citelist|citepunct|citeindex|citetrack|citealias|bibcite"
)
_OPTION = r"\s*\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,500}\]"
_KEYS = re.compile(rf"(?:{_OPTION}){{0,2}}\s?\{{([^{{}}]{{0,5000}})\}}")
_MORE_KEYS = re.compile(
    rf"(?:\s?\([^(){{}}\n]{{0,500}}\)){{0,2}}(?:{_OPTION}){{0,2}}\s?\{{([^{{}}]{{0,5000}})\}}"
)
_KEY = re.compile(r"[^\s,\\#{}~^$&]+")
_BIBLIOGRAPHY = re.compile(r"\\(?:no)?bibliography(?![A-Za-z@])\s*\{([^{}]{0,2000})\}")
_RESOURCE = re.compile(r"\\add(?:bibresource|globalbib|sectionbib)(?![A-Za-z@])")
_NAME = re.compile(r"\s*\{([^{}]{0,500})\}")


@dataclass(frozen=True, slots=True)
class Citation:
    """A command that cites: its name, its keys as they are written, and where it ends."""

    name: str
    keys: tuple[str, ...]
    end: int


def citation_at(source: str, at: int) -> Citation | None:
    """Return the citation that begins at a place; None where none does."""
    match = _CITATION.match(source, at)
    spans = list(_spans(source, match)) if match else []
    if match is None or not spans or any("#" in span[1] for span in spans):
        return None
    keys = tuple(key.strip() for span in spans for key in span[1].split(","))
    return Citation(match[1], keys, spans[-1].end())


def cited_keys(source: str) -> tuple[str, ...]:
    """Return the keys that a source cites, each once, in order; `EVERYTHING` may be one."""
    return tuple(dict.fromkeys(key for keys in _key_lists(source) for key in _split(keys)))


def without_citations(text: str) -> str:
    """Remove the citations from a piece of LaTeX, and the space or tie before them."""
    pieces, at = [], 0
    for match in _CITATION.finditer(text):
        if match.start() >= at and (spans := list(_spans(text, match))):
            pieces.append(text[at : match.start()].rstrip(" ~\n"))
            at = spans[-1].end()
    return "".join(pieces) + text[at:]


def bibliographies(source: str) -> tuple[str, ...]:
    """Return the names of the bibliography files of a source, each once, as they are written."""
    names = [name for found in _BIBLIOGRAPHY.findall(source) for name in found.split(",")]
    for match in _RESOURCE.finditer(source):
        name = _NAME.match(source, after_options(source, match.end()))
        names += [name[1]] if name else []
    stripped = (name.strip() for name in names)
    return tuple(dict.fromkeys(name for name in stripped if name and "#" not in name))


def _key_lists(source: str) -> Iterator[str]:
    for match in _CITATION.finditer(source):
        yield from (span[1] for span in _spans(source, match))


def _spans(source: str, match: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield a match for each list of keys of a citation: one, or more where its name is plural."""
    if _NO_CITATION.match(match[1]):
        return
    several = match[1].endswith("s") and match[1] not in ("nocites",)
    pattern = _MORE_KEYS if several else _KEYS
    span = pattern.match(source, match.end())
    while span is not None:
        yield span
        span = pattern.match(source, span.end()) if several else None


def _split(keys: str) -> list[str]:
    if "#" in keys:  # The parameter of a definition.
        return []
    return [key for part in keys.split(",") if _KEY.fullmatch(key := part.strip())]
