"""Find the abstract of a LaTeX draft, or the words that may stand in for it."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

from recsys.formats.drafts.wording import opening, paragraphs
from recsys.formats.latex.latex_commands import (
    MOST_COMMANDS,
    after_group,
    after_options,
    commands,
    first_text,
    group,
)
from recsys.formats.latex.latex_text import LONGEST_PIECE
from recsys.formats.latex.latex_words import Words

_ABSTRACTS = "abstract|Abstract|abst"
_ENVIRONMENT = re.compile(r"\\begin\s*\{((?:onecol|sci)?abstract\*?|Abstract|quickabstract)\}")
_LEVELS = r"(?:addchap|chapter|addsec|minisec|(?:sub)*section|(?:sub)?paragraph)"
_HEADING = re.compile(
    rf"\\(?P<level>{_LEVELS})\*?\s*\{{\s*(?:\\\w+\s*)*(?i:abstract|(?P<summary>summary))\s*\}}"
)
_NUMBERED = re.compile(r"\\(?:chapter|section)\s*(?=[\{\[])")
_NEXT_HEADING = re.compile(
    rf"\\(?:part|{_LEVELS}|tableofcontents|bibliography|printbibliography|appendix)(?![A-Za-z@])"
)
_BODY = re.compile(r"\\(?:maketitle|begin\s*\{document\})(?![A-Za-z@])")
_ENVIRONMENTS = re.compile(
    r"\\begin\s*\{(figure\*?|table\*?|tabular\*?|equation\*?|align\*?|thebibliography|algorithm\*?|"
    r"tikzpicture|CCSXML|IEEEkeywords|keywords?|titlepage)\}"
)
_SECTIONING = re.compile(rf"\\{_LEVELS}\*?\s*(?=\{{|\[)")
_SETUP = re.compile(r"\\(?:documentclass|usepackage|(?:re)?newcommand|def|author|title)\b")
_WITHIN = re.compile(r"\\(?:sub)*section\*?\s*\{([^{}]{0,100})\}")
_KEYWORDS = re.compile(
    r"(?i)\s*\W?(?:key\s?-?\s?words?(?: and phrases)?|index terms|keyphrases)\W?\s?[:.\u2013\u2014]"
)
_LEAD_IN = re.compile(r"(?i)\Aabstract\s*(?:[.:\u2013\u2014-]+\s*(?=\S)|\Z)")


def abstract_of(source: str, words: Words) -> str | None:
    """Return the abstract: of an environment, a command, a heading, or a paragraph that says so."""
    return first_text(_abstracts(source), partial(_text, words=words)) or _lead_in(source, words)


def opening_of(source: str, words: Words) -> str | None:
    """Return the first words of the text, without headings, figures and displayed formulas."""
    return opening(_first_paragraphs(source, words))


def _text(latex: str, words: Words) -> str:
    """Turn an abstract into text: without headings of its own, and without the keywords."""
    text = words.text(_WITHIN.sub(r" \1 ", latex))
    found = _KEYWORDS.search(text, min(len(text), 20))
    return text[: found.start()] if found else text


def _abstracts(source: str) -> Iterator[str]:
    for match in islice(_ENVIRONMENT.finditer(source), MOST_COMMANDS):
        at = match.end()
        if source.startswith("[", at):
            at = after_options(source, at)
        end = source.find(f"\\end{{{match[1]}}}", at, at + LONGEST_PIECE)
        if end >= 0:
            yield source[at:end]
    for _, arguments in commands(source, _ABSTRACTS, most=6):
        # Astronomy & Astrophysics: context, aims, methods, results, conclusions.
        yield " ".join(arguments) if len(arguments) == 5 else arguments[0]
    text_begins = next((match.start() for match in _NUMBERED.finditer(source)), len(source))
    for match in islice(_HEADING.finditer(source), MOST_COMMANDS):
        # That of a chapter or of a section is not that of the whole.
        of_part = match["level"] not in ("chapter", "addchap") and match.start() >= text_begins
        if not (match["summary"] and of_part):
            rest = source[match.end() : match.end() + LONGEST_PIECE]
            yield _NEXT_HEADING.split(rest, maxsplit=1)[0]


def _lead_in(source: str, words: Words) -> str | None:
    """Return the paragraph that begins with "Abstract", or that follows this word alone."""
    parts = _first_paragraphs(source, words)
    for part in islice(parts, 20):
        if lead_in := _LEAD_IN.match(part):
            return part[lead_in.end() :] or next(parts, None)
    return None


def _first_paragraphs(source: str, words: Words) -> Iterator[str]:
    starts = [match.end() for match in _BODY.finditer(source)]
    text = source[starts[-1] if starts else 0 :][:LONGEST_PIECE]
    # A paragraph of commands is no text, as in a preamble.
    kept = (part for part in paragraphs(_without_floats(text)) if not _SETUP.match(part))
    return (words.text(part) for part in kept)


def _without_floats(text: str) -> str:
    """Remove what interrupts the text, and put a blank line in place of each heading."""
    pieces, at = [], 0
    while match := _ENVIRONMENTS.search(text, at):
        pieces.append(text[at : match.start()])
        end = text.find(f"\\end{{{match[1]}}}", match.end())
        at = len(text) if end < 0 else end + len(match[1]) + 6
    text = "".join(pieces) + text[at:]
    pieces, at = [], 0
    for heading in _SECTIONING.finditer(text):
        behind = after_options(text, heading.end())
        name = group(text, behind)
        if name is not None and heading.start() >= at:
            pieces += [text[at : heading.start()], "\n\n"]
            at = after_group(text, behind, name)
    return "".join(pieces) + text[at:]
