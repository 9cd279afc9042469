"""Find what a LaTeX draft cites, in the bibliographies that it names, carries, or became."""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import PurePosixPath

from recsys.errors import InputError
from recsys.formats.drafts.draft_files import Folder, Shelf, look_up, parsed_book, shelf, stand_in
from recsys.formats.drafts.included import Source
from recsys.formats.files import decode_or_guess
from recsys.formats.identifiers import acl, arxiv, doi
from recsys.formats.latex.latex_source import (
    MOST_PASSES,
    Definition,
    after_group,
    after_options,
    called,
    expand,
    filled,
    group,
)
from recsys.formats.latex.latex_text import is_macro, plain
from recsys.formats.references.journal_macros import JOURNALS
from recsys.formats.references.people import name_of
from recsys.records import Reference

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
# BibTeX breaks lines so; other signs of a comment may stand in addresses.
_LINE_END = re.compile(r"(?<!\\)%[^\S\n]*\n[^\S\n]*")
MOST_NAMED = 10
"""How many commands are named that are no known ones, but cite."""
LONGEST_ITEM, LONGEST_LIST = 3_000, 300_000
"""Characters of one typeset work, and of all together, that are read."""
MOST_ENTRIES = 2_000
"""Works of biblatex that are read."""

_ITEM = re.compile(r"\\bibitem(?![A-Za-z@])")
_MACRO = re.compile(r"\\([a-z]{2,10})(?![A-Za-z@])")
_LABEL = re.compile(r"\s*\[")
_END = re.compile(r"\\end\s*\{thebibliography\}")
_BLOCK = re.compile(r"\\newblock(?![A-Za-z@])")
_QUOTED = re.compile(
    r"``(.{8,400}?)[,.?!]?''|(?<!\w)`([^`']{8,400}?)[,.?!]?'(?!\w)|\"(?=[A-Z])([^\"]{8,400}?)[,.?!]?\"",
    re.DOTALL,
)
_ENQUOTED = re.compile(r"\\(?:enquote|mkbibquote)\*?\s*(?=\{)")
_MARKED = tuple(
    re.compile(rf"\\(?:{names})\s*(?=\{{)")
    for names in (
        r"showarticletitle|bibinfo\s*\{title\}|APACrefatitle",
        r"APACrefbtitle|bibinfo\s*\{booktitle\}",
    )
)
_SLANTED = re.compile(r"\\(?:emph|textit|textsl)\s*(?=\{)|(?=\{\s*\\(?:em|it|sl|itshape)\b)")
_CITEPROC = re.compile(r"\\hypertarget\s*\{(ref-[^{}\s]{1,300})\}\s*\{\}\}?%?")
_AMSREFS = re.compile(r"\\bib\*?\s*\{([^{}]{1,300})\}\s*\{([^{}]{1,50})\}\s*(?=\{)")
_AMS_FIELD = re.compile(r"(?:\A|,)\s*([a-z]{2,20})\s*=\s*(?=\{)")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n|\\end\s*\{|\\hypertarget\b")
_YEAR = re.compile(r"(?<![\d./:-])(1[89]\d\d|20\d\d)(?![\d/-])")
_ENTRY = re.compile(r"\\entry\{([^{}]{1,300})\}")
_FIELD = re.compile(r"\\(?:field|strng)\{(title|year|journaltitle|booktitle)\}\s*(?=\{)")
_VERBATIM = re.compile(r"\\verb\{(doi|eprint|url)\}\s*\\verb ([^\n]{1,500})")
_FAMILY = re.compile(r"\bfamily=\s*(?=\{)")
_GIVEN = re.compile(r"\bgiven=\s*(?=\{)")
FEWEST_TITLE_WORDS = 3
"""A shorter part of an item is not taken for its title: it may be a name or a venue."""


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
    lists = sorted(
        (*_key_lists(source), *_own_citations(source, macros or {})), key=lambda place: place[0]
    )
    keys: dict[str, None] = {}
    for _, listed in lists:
        # A "#" is the parameter of a definition.
        for key in map(str.strip, listed.split(",") if "#" not in listed else ()):
            key = key.lstrip("*") if len(key) > 1 else key  # So REVTeX joins works.
            if _KEY.fullmatch(key):
                keys[key] = None
    return tuple(keys)


def unnamed_citations(
    source: str, listed: Set[str], macros: Mapping[str, Definition]
) -> dict[str, tuple[str, ...]]:
    """Return what else cites: command -> the listed keys that are its arguments.

    Commands of LaTeX and those that a source defines itself are told apart by what they do.
    """
    cited: dict[str, dict[str, None]] = {}
    for match in _COMMAND.finditer(source):
        name = match["name"]
        for argument in _ARGUMENT.findall(match["arguments"]):
            keys = [key.strip() for key in argument.split(",")]
            if listed >= set(keys) and not (
                name in macros or _NEVER.match(name) or is_macro(name) or _is_citation(name)
            ):
                cited.setdefault(name, {}).update(dict.fromkeys(keys))
    return {name: tuple(keys) for name, keys in cited.items()}


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
    names = [name for listed in _BIBLIOGRAPHY.findall(source) for name in listed.split(",")]
    for match in _RESOURCE.finditer(source):
        name = _NAME.match(source, after_options(source, match.end()))
        names += [name[1]] if name else []
    return tuple(dict.fromkeys(name for name in map(str.strip, names) if name and "#" not in name))


def _key_lists(source: str) -> Iterator[tuple[int, str]]:
    """Yield lists of keys, and where each stands."""
    for match in _CITATION.finditer(source):
        yield from ((span.start(1), span[1]) for span in _spans(source, match))


def _is_citation(name: str) -> bool:
    match = _CITATION.match(f"\\{name}")
    return match is not None and match["name"] == name and not _NO_CITATION.match(name)


def _own_citations(source: str, macros: Mapping[str, Definition]) -> Iterator[tuple[int, str]]:
    """Yield the keys that the author's own commands cite, by what stands for them."""
    # Macros that cite what they are given, themselves or by one another; a body that has its keys
    # itself is read where it stands.
    citing = {name for name, macro in macros.items() if _CITATION.search(macro.body)}
    for _ in range(MOST_PASSES):
        further = {name for name in macros.keys() - citing if citing & macros[name].calls}
        citing |= further
        if not further:
            break
    citing = {name for name in citing if "#" in macros[name].body}

    def is_alias(name: str) -> bool:
        """Whether a macro is nothing but another name of a citation."""
        for _ in range(MOST_PASSES):
            body = macros[name].body.strip().strip("{}") if name in macros else ""
            name = body[1:] if body.startswith("\\") else ""
            if _is_citation(name):
                return True
        return False

    aliases = set(filter(is_alias, macros))
    every = sorted({*_NEW_COMMAND.findall(source), *citing, *aliases})
    if not every:
        return
    calls = re.compile(rf"\\({'|'.join(map(re.escape, every))})(?![A-Za-z@])\*?")
    for match in islice(calls.finditer(source), MOST_CALLS):
        if match[1] not in citing:
            if span := _KEYS.match(source, match.end()):
                yield span.start(1), span[1]
        elif call := called(source, match.end(), macros[match[1]]):
            said = expand(filled(macros[match[1]].body, call.values) or "", macros)
            yield from ((match.start(), keys) for _, keys in _key_lists(said))


def _spans(source: str, match: re.Match[str]) -> Iterator[re.Match[str]]:
    """Yield a match for each list of keys of a citation: one, or more where its name is plural."""
    name, at = match["name"], match.end()
    if _NO_CITATION.match(name):
        return
    several = name.endswith("s") and name != "nocites"
    pattern = _MORE_KEYS if several else _KEYS
    if _IN_LANGUAGE.match(name) and (language := _LANGUAGE.match(source, at)):
        at = language.end()
    span = pattern.match(source, at)
    while span is not None:
        yield span
        span = pattern.match(source, span.end()) if several else None


def cited_works(
    source: Source, stem: str, folder: Folder, macros: Mapping[str, Definition]
) -> Shelf:
    """Return the cited works: from the bibliographies, else as BibTeX has typeset them.

    Args:
        source: the draft.
        stem: what its main file is called, which is also the name of what BibTeX makes of it.
        folder: the files that it may name.
        macros: its author's own commands.
    """
    keys, listed = cited_keys(source.text, macros), listed_works(source.text)
    named, books = [], Shelf()
    enclosed = {
        PurePosixPath(name.replace("\\jobname", stem)).stem: (text, name)
        for name, text in source.enclosed.items()
    }
    for name in bibliographies(source.text):
        if "\\" in name:  # It stands in a macro.
            name = re.sub("[{}]", "", expand(name.replace("\\jobname", stem), macros)).strip()
        named.append(name)
        inside = enclosed.get(PurePosixPath(name).stem)
        books += parsed_book(*inside) if inside else shelf(folder, [name], (".bib",))
    cited = dict.fromkeys(key for key in keys if key != EVERYTHING)
    works = listed

    def lacks_some() -> bool:
        return not cited.keys() <= {work.key for work in (*works, *books.works)}

    if lacks_some():  # As BibTeX has typeset them, in a .bbl beside the draft.
        for each in dict.fromkeys(name.removesuffix(".bib") for name in (stem, *named, "output")):
            try:
                bbl = folder.find(f"{each}.bbl", ())
                text, _ = decode_or_guess(folder.read(bbl), bbl.name)
            except InputError:
                continue
            if typeset := listed_works(_LINE_END.sub("", text)):
                works += typeset
                break
    if lacks_some() and not books.works:
        books = stand_in(folder, named, ".bib") or books
    every = {work.key: None for work in (*works, *books.works) if work.key}
    if EVERYTHING in keys:
        cited |= every
    unnamed = unnamed_citations(source.text, every.keys(), macros) if every else {}
    cited |= dict.fromkeys(chain.from_iterable(unnamed.values()))
    looked_up = look_up(tuple(cited), books, works)
    details = [*looked_up.details]
    if unnamed:
        names = ", ".join(f"\\{name} ({len(keys)})" for name, keys in unnamed.items())
        shown = names if len(unnamed) <= MOST_NAMED else f"{len(unnamed)} commands"
        details.append(
            f"Taken for citations, as their arguments are keys of the bibliography: {shown}."
        )
    every_work = dict.fromkeys((*looked_up.works, *listed))
    return Shelf(tuple(every_work), looked_up.notes, tuple(details))


def listed_works(source: str) -> tuple[Reference, ...]:
    """Return the works of every typeset bibliography in a source, with what is safe to tell."""
    works: dict[str, Reference] = {}
    length = 0
    for key, text in _typeset_items(source):
        length += len(text)
        if length <= LONGEST_LIST and key not in works:
            works[key] = _typeset(key, text)
    for part in source.split("\\endentry", MOST_ENTRIES)[:-1]:
        entry = _ENTRY.search(part)
        if entry and entry[1] not in works:
            fields = {m[1]: plain(group(part, m.end()) or "") for m in _FIELD.finditer(part)}
            fields |= dict(_VERBATIM.findall(part))
            families, given = (
                [plain(name) for m in pattern.finditer(part) if (name := group(part, m.end()))]
                for pattern in (_FAMILY, _GIVEN)
            )
            names = [" ".join(pair) for pair in zip(given, families, strict=False)]
            works[entry[1]] = _described(entry[1], fields, names or families, fields.get("url"))
    for match in islice(_AMSREFS.finditer(source), MOST_ENTRIES):
        inside = group(source, match.end())
        if inside is not None and match[1] not in works:
            pairs = [
                (m[1], plain(group(inside, m.end()) or "")) for m in _AMS_FIELD.finditer(inside)
            ]
            names = [name_of(value).natural for name, value in pairs if name == "author"]
            works[match[1]] = _described(match[1], dict(reversed(pairs)), names)
    return tuple(works.values())


def _typeset_items(source: str) -> Iterator[tuple[str, str]]:
    """Yield key and text of each `\\bibitem[label]{key} text`, and of works of an older pandoc."""
    for part in _ITEM.split(source)[1:]:
        text = _END.split(part[:LONGEST_ITEM], maxsplit=1)[0]
        begin = depth = 0  # A label has braces and brackets of its own.
        label = _LABEL.match(text)
        for at in range(label.end() if label else len(text), len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if text[at] == "]" and depth == 0:
                begin = at + 1
                break
        if (key := group(text, begin)) is not None:
            yield key.strip(), text[after_group(text, begin, key) :]
    parts = _CITEPROC.split(source)
    for key, text in zip(parts[1::2], parts[2::2], strict=True):
        yield key, _PARAGRAPH_END.split(text[:LONGEST_ITEM].lstrip(), maxsplit=1)[0]


def _described(
    key: str, fields: Mapping[str, str], names: Iterable[str], address: str | None = None
) -> Reference:
    """Make a work of the fields that a package of LaTeX typesets it from."""
    year = _YEAR.search(fields.get("date") or fields.get("year") or "")
    venues = (fields.get(name) for name in ("journal", "journaltitle", "booktitle"))
    return Reference(
        key=key,
        title=fields.get("title") or None,
        authors=tuple(names),
        year=int(year[1]) if year else None,
        venue=next(filter(None, venues), None),
        doi=doi(fields.get("doi")) or doi(address),
        arxiv=arxiv(fields.get("eprint")) or arxiv(address),
        acl=acl(address),
        url=fields.get("url") or None,
    )


def _typeset(key: str, text: str) -> Reference:
    """Read a work by its words; its title where the style marks it, in quotes, or in a block."""

    from recsys.formats.bodies.printed_works import printed_work  # Long to compile.

    text = _MACRO.sub(lambda macro: JOURNALS.get(macro[1], macro[0]), text)

    def inside(pattern: re.Pattern[str]) -> str | None:
        """Return what stands in the braces behind the first match; None without one."""
        match = pattern.search(text)
        return plain(group(text, match.end()) or "") if match else None

    blocks = [plain(block) for block in _BLOCK.split(text)]
    whole = " ".join(blocks)
    printed = printed_work(whole, key)
    article, book = _MARKED
    quoted = _QUOTED.search(text)
    titles = (
        inside(article),
        inside(_ENQUOTED),
        plain(quoted[1] or quoted[2] or quoted[3]) if quoted else None,
        inside(book),
    )
    title = next((title for title in titles if title is not None), None)
    if title is None:
        slanted = (inside(_SLANTED) or "").strip(" .,;")
        if printed.title and slanted and printed.title.startswith(slanted):
            title = slanted  # What is slanted after the names is a book.
        else:
            title = blocks[1] if len(blocks) > 2 else printed.title or ""
    title = title.strip(" .,;")
    sure = len(title.split()) >= (2 if title == printed.title else FEWEST_TITLE_WORDS)
    years = set(_YEAR.findall(whole))
    return replace(
        printed,
        title=title if sure else None,
        authors=printed.authors if sure or (printed.volume and printed.page) else (),
        year=int(years.pop()) if len(years) == 1 else printed.year,
        venue=printed.venue if (title if sure else None) == printed.title else None,
        doi=printed.doi or doi(text),
        arxiv=printed.arxiv or arxiv(text),
        acl=printed.acl or acl(text),
    )
