"""Find the keywords of a LaTeX draft: of an environment, a command, or a paragraph."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice

from recsys.formats.latex.latex_commands import MOST_COMMANDS, commands, first_text
from recsys.formats.latex.latex_words import Words
from recsys.formats.stated_keyphrases import LONGEST_LIST, told_apart

_ENVIRONMENT = re.compile(
    r"\\begin\s*\{((?:IEEE)?[kK]ey[wW]ords?|keyphrases)\}(?:\[[^\[\]]{0,200}\])?"
)
_COMMANDS = "[kK]ey[wW]ords?|IEEEkeywords|keyphrases"
_BETWEEN = re.compile(r"\\(?:sep|and|unskip\\sep|newline|\\)(?![A-Za-z@])\s?|\\(?:kwd|item)\s?")
_CODES = re.compile(r"\\(?:PACS|MSC|JEL)(?![A-Za-z@])")
_FOLDED = re.compile(r"\\(?:textbf|textit|emph|bf|it|bfseries|itshape|textsc|noindent)\b\s?|[{}]")

_HEADED = re.compile(
    r"(?im)^(?:\\(?:noindent|textbf|textit|emph|bf|it|bfseries|itshape|textsc|par|smallskip|medskip|"
    r"small|keyFont|paragraph\*?|(?:sub)?section\*?)(?![A-Za-z@])|"
    r"\\begin\{[a-z]{1,16}\}|[{}]|[^\S\n]){0,24}"
    r"(?P<name>key[ -]?words?(?:\s+and\s+phrases)?|index terms)\b(?=[\s}]{0,4}[:.\-\u2013\u2014}])"
)
_BARE = re.compile(r"(?m)^[^\S\n]*\\(?P<name>[kK]ey[wW]ords?)(?=\s+[^\s{\[\\])")
"""The command as old classes have it: what it lists follows up to the next empty line."""
_ITEMS = re.compile(r"\\(?:begin|end)\{(?:itemize|enumerate|compactitem)\}\s*")


def keyphrases_of(source: str, words: Words) -> tuple[str, ...]:
    """Return the keywords that a source without comments states, none where it does not."""
    listed = first_text(_listed(source), partial(_text, words=words))
    return told_apart(listed) if listed else _on_lines(source, words)


def _listed(source: str) -> Iterator[str]:
    for match in islice(_ENVIRONMENT.finditer(source), MOST_COMMANDS):
        end = source.find(f"\\end{{{match[1]}}}", match.end(), match.end() + LONGEST_LIST)
        if end >= 0:
            yield source[match.end() : end]
    yield from (arguments[0] for _, arguments in commands(source, _COMMANDS))


def _text(latex: str, words: Words) -> str:
    latex = _CODES.split(latex, maxsplit=1)[0]
    return words.text(_BETWEEN.sub("; ", latex)).strip("; ")


def _on_lines(source: str, words: Words) -> tuple[str, ...]:
    r"""Read what stands behind "\textbf{Keywords:}" or "\keywords", where that begins a line."""
    headed = chain(_HEADED.finditer(source), _BARE.finditer(source))
    for match in islice(headed, MOST_COMMANDS):
        rest = _ITEMS.sub(" ", source[match.end("name") : match.end("name") + LONGEST_LIST])
        listed = re.split(r"\n\s*\n|\\(?:end|begin|section|maketitle)\b", rest, maxsplit=1)[0]
        said = words.text(_BETWEEN.sub("; ", _FOLDED.sub(" ", listed)))
        if found := told_apart(said.lstrip(" .:;-\u2013\u2014")):
            return found
    return ()
