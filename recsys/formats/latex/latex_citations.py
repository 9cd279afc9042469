"""Find what a LaTeX source cites, and the bibliographies that it names or carries within."""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice

from recsys.formats.latex.latex_commands import after_options
from recsys.formats.latex.latex_definitions import (
    MOST_PASSES,
    Definition,
    called,
    expand,
    filled,
)
from recsys.formats.latex.latex_text import is_macro

EVERYTHING = "*"
"""The key by which `\\nocite` cites the whole bibliography."""

MOST_CALLS = 20_000
"""Calls of the author's own citation commands that are read."""

# \cite, \citep*, \Textcite, \footcites, \nocite, an author's own \mycite: all that is named so; and
# quotations with their source.
_CITATION = re.compile(
    r"\\(?:(?P<begin>begin\s*\{)(?=[a-z]{1,20}cquote\*?\}))?"
    r"(?P<name>[A-Za-z@]*?[Cc]ite[A-Za-z]*|[a-z]{1,20}cquote|bibentry)(?![A-Za-z@])\*?(?(begin)\})"
)
_NO_CITATION = re.compile(
    r"set|At|Declare|newcites|newcitestyle|renewcite|ifcite|citestyle|citetext|citereset|citename|"
    r"citesetup|citefield|(?:ex|in|re)cite|[A-Za-z]*cited|citelist|citepunct|citeindex|citetrack|"
    r"citealias|citeauthoryear|bibcite|defcite|[a-zA-Z]{0,3}volcite"
)
_IN_LANGUAGE = re.compile(r"(?:foreign|hyphen)[a-z]*cquote")
_LANGUAGE = re.compile(r"\s?\{[^{}]{0,100}\}")
_OPTION = r"\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,500}\]|<[^<>\n]{0,500}>)"
_KEYS = re.compile(rf"(?:{_OPTION}){{0,2}}\s?\{{([^{{}}]{{0,5000}})\}}")
_MORE_KEYS = re.compile(
    rf"(?:\s?\([^(){{}}\n]{{0,500}}\)){{0,2}}(?:{_OPTION}){{0,2}}\s?\{{([^{{}}]{{0,5000}})\}}"
)
_KEY = re.compile(r"[^\s,\\#{}~^$&]+")
_BIBLIOGRAPHY = re.compile(r"\\(?:no)?bibliography(?![A-Za-z@])\*?\s*\{([^{}]{0,2000})\}")
_RESOURCE = re.compile(r"\\add(?:bibresource|globalbib|sectionbib)(?![A-Za-z@])")
_NAME = re.compile(r"\s*\{([^{}]{0,500})\}")
_NEW_COMMAND = re.compile(r"\\DeclareCiteCommand\*?\s*\{\s*\\([A-Za-z@]{1,50})\s*\}")
# A command with its arguments: any that is nothing but known keys is a citation.
_COMMAND = re.compile(
    r"\\(?P<name>[A-Za-z@]{1,50})\*?"
    r"(?P<arguments>(?:\s?\[[^\[\]{}]{0,300}\]|\s?<[^<>\n]{0,300}>|\s?\{[^{}]{0,2000}\}){1,6})"
)
_ARGUMENT = re.compile(r"\{([^{}]*)\}")
_NEVER = re.compile(
    r"(?:[A-Za-z@]*(?:refs?|label|target|link|input|include|section|chapter|caption|index|anchor|title)"
    r"|defcite[a-z]*|begin|end|bibitem|bib|gls[a-z]*|acr?[a-z]{0,5}|import|subfile|tag|id|entry|name)\Z"
)


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
    return Citation(match["name"], keys, spans[-1].end())


def cited_keys(source: str, macros: Mapping[str, Definition] | None = None) -> tuple[str, ...]:
    """Return the keys that a source cites, each once, in order; `EVERYTHING` may be one.

    macros: the author's own, which may cite.
    """
    found = [*_key_lists(source), *_own_citations(source, macros or {})]
    found.sort(key=lambda each: each[0])
    return tuple(dict.fromkeys(key for _, keys in found for key in _split(keys)))


def unnamed_citations(
    source: str, known: Set[str], macros: Mapping[str, Definition]
) -> dict[str, tuple[str, ...]]:
    """Return what else cites: command -> the known keys that are its arguments.

    Commands of LaTeX and those that a source defines itself are told apart by what they do.
    """
    found: dict[str, dict[str, None]] = {}
    for match in _COMMAND.finditer(source):
        for argument in _ARGUMENT.findall(match["arguments"]):
            keys = [key.strip() for key in argument.split(",")]
            if not known >= set(keys):
                continue
            name = match["name"]
            if not (name in macros or _NEVER.match(name) or is_macro(name)):
                found.setdefault(name, {}).update(dict.fromkeys(keys))
    return {name: tuple(keys) for name, keys in found.items() if not _is_citation(name)}


def count_citations(source: str) -> int:
    """Count the places where a source cites."""
    return sum(1 for _ in _key_lists(source))


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


def _key_lists(source: str) -> Iterator[tuple[int, str]]:
    """Yield lists of keys, and where each stands."""
    for match in _CITATION.finditer(source):
        yield from ((span.start(1), span[1]) for span in _spans(source, match))


def _is_citation(name: str) -> bool:
    match = _CITATION.match(f"\\{name}")
    return match is not None and match["name"] == name and not _NO_CITATION.match(name)


def _citing(macros: Mapping[str, Definition]) -> Set[str]:
    """Return the macros that cite what they are given, themselves or by one another.

    A body that has its keys itself is read where it stands.
    """
    found = {name for name, macro in macros.items() if _CITATION.search(macro.body)}
    for _ in range(MOST_PASSES):
        further = {name for name in macros.keys() - found if found & macros[name].calls}
        found |= further
        if not further:
            break
    return {name for name in found if "#" in macros[name].body}


def _is_alias(name: str, macros: Mapping[str, Definition]) -> bool:
    """Whether a macro is nothing but another name of a citation."""
    for _ in range(MOST_PASSES):
        body = macros[name].body.strip().strip("{}") if name in macros else ""
        name = body[1:] if body.startswith("\\") else ""
        if _is_citation(name):
            return True
    return False


def _own_citations(source: str, macros: Mapping[str, Definition]) -> Iterator[tuple[int, str]]:
    """Yield the keys that the author's own commands cite, by what stands for them."""
    declared = set(_NEW_COMMAND.findall(source))
    citing, names = _citing(macros), {name for name in macros if _is_alias(name, macros)}
    every = sorted({*declared, *citing, *names})
    if not every:
        return
    calls = re.compile(rf"\\({'|'.join(map(re.escape, every))})(?![A-Za-z@])\*?")
    for match in islice(calls.finditer(source), MOST_CALLS):
        if match[1] not in citing:
            span = _KEYS.match(source, match.end())
            if span is not None:
                yield span.start(1), span[1]
        elif call := called(source, match.end(), macros[match[1]]):
            said = expand(filled(macros[match[1]].body, call.values) or "", macros)
            yield from ((match.start(), keys) for _, keys in _key_lists(said))


def _spans(source: str, match: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield a match for each list of keys of a citation: one, or more where its name is plural."""
    name, at = match["name"], match.end()
    if _NO_CITATION.match(name):
        return
    several = name.endswith("s") and name not in ("nocites",)
    pattern = _MORE_KEYS if several else _KEYS
    if _IN_LANGUAGE.match(name) and (language := _LANGUAGE.match(source, at)):
        at = language.end()
    span = pattern.match(source, at)
    while span is not None:
        yield span
        span = pattern.match(source, span.end()) if several else None


def _split(keys: str) -> list[str]:
    if "#" in keys:  # The parameter of a definition.
        return []
    # REVTeX joins works by a star before the second key.
    parts = (part.strip() for part in keys.split(","))
    joined = (part.lstrip("*") if len(part) > 1 else part for part in parts)
    return [key for key in joined if _KEY.fullmatch(key)]
