"""Find where the entries of a BibTeX file and their fields stand, and put others in their place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_ENTRY = re.compile(
    r"@\s*(?P<aside>comment|preamble|string)\s*(?=\{)"
    r"|@\s*(?P<kind>[A-Za-z]+)\s*[{(]\s*(?P<key>[^\s,=\"#%{}()]+)\s*,",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:[\s,]|%[^\n]*\n)*+([A-Za-z][\w:.+/-]*)\s*=\s*")
_BARE = re.compile(r"[^\s,{}\"#()]+")
_JOIN = re.compile(r"\s*#\s*")


@dataclass(frozen=True, slots=True)
class EntrySpan:
    """An entry of a file. fields: name in lower case -> where its value begins and ends.

    begin: where the entry begins. after: where its last field ends, or its key.
    """

    kind: str
    key: str
    begin: int
    after: int
    fields: Mapping[str, tuple[int, int]]


def entry_spans(text: str) -> Iterator[EntrySpan]:
    """Yield the entries of a file in order, up to one that does not end."""
    at = 0
    while match := _ENTRY.search(text, at):
        at = match.end()
        if match["aside"]:
            end = _closing(text, at)
            if end is None:
                return
            at = end
            continue
        fields: dict[str, tuple[int, int]] = {}
        after = match.end() - 1
        while field := _FIELD.match(text, at):
            end = _value_end(text, field.end())
            if end is None:  # All that follows is within it.
                return
            fields.setdefault(field[1].lower(), (field.end(), end))
            at = after = end
        yield EntrySpan(match["kind"].lower(), match["key"], match.start(), after, fields)


def _value_end(text: str, at: int) -> int | None:
    """Return where a value ends: groups, quotations and words with `#` between; None for none."""
    while True:
        opening = text[at : at + 1]
        if opening == "{":
            end = _closing(text, at)
        elif opening == '"':
            end = _quotation_end(text, at)
        else:
            word = _BARE.match(text, at)
            end = word.end() if word else None
        if end is None:
            return None
        join = _JOIN.match(text, end)
        if join is None:
            return end
        at = join.end()


def _closing(text: str, at: int) -> int | None:
    depth = 0
    for place in range(at, len(text)):
        letter = text[place]
        if letter in "{}" and (place == 0 or text[place - 1] != "\\"):
            depth += 1 if letter == "{" else -1
            if depth == 0:
                return place + 1
    return None


def _quotation_end(text: str, at: int) -> int | None:
    depth, place = 0, at + 1
    while place < len(text):
        letter = text[place]
        if letter in "{}":
            depth += 1 if letter == "{" else -1
        elif letter == '"' and depth == 0:
            return place + 1
        place += 1
    return None


def entry_lines(text: str) -> dict[str, int]:
    """Return the line, from 1, on which the entry of each key begins."""
    lines, number, at = dict[str, int](), 1, 0
    for span in entry_spans(text):
        number += text.count("\n", at, span.begin)
        at = span.begin
        lines.setdefault(span.key, number)
    return lines


def with_fields(text: str, changes: Mapping[str, Mapping[str, str]]) -> str:
    """Give entries other values; every other letter of the file stays where it is.

    A field that an entry lacks is added behind its last one, indented as that one.

    Args:
        text: of a file.
        changes: key of an entry -> name of a field -> what stands between its braces.
    """
    pieces: list[tuple[int, int, str]] = []
    for span in entry_spans(text):
        for name, value in changes.get(span.key, {}).items():
            if name in span.fields:
                pieces.append((*span.fields[name], f"{{{value}}}"))
                continue
            last = max(span.fields.values(), default=(span.after, span.after))[0]
            line = text.rfind("\n", span.begin, last) + 1
            indent = re.match(r"[^\S\n]*", text[line:])
            end = "\r\n" if text[line - 2 : line] == "\r\n" else "\n"
            lead = f"{end}{indent[0] if indent else ''}" if line > span.begin else " "
            comma = "," if span.fields else ""
            pieces.append((span.after, span.after, f"{comma}{lead}{name} = {{{value}}}"))
    parts, at = list[str](), 0
    for begin, stop, new in sorted(pieces):
        parts += text[at:begin], new
        at = stop
    return "".join((*parts, text[at:]))
