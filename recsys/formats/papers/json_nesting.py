"""Follow how deep JSON is nested from line to line, without decoding it."""

import re

DEEPEST = 1000
"""What is nested deeper is no record of a work."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|(\\?\Z))|[{}\[\]]|[^\s"{}\[\]]++', re.DOTALL)
_REST_OF_STRING = re.compile(r'(?:[^"\\]++|\\.)*+(?:"|(\\?\Z))', re.DOTALL)
_OPENS = {"}": "{", "]": "["}


class Nesting:
    """The brackets that are open after the lines taken so far.

    A bracket of one kind closes those of the other that were left open inside: a damaged record
    ends where its neighbours do.
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        self._in_string = False
        self._last = ""

    @property
    def depth(self) -> int:
        """How many brackets are open."""
        return len(self._open)

    @property
    def awaits_first(self) -> bool:
        """Whether the first value of a list comes next."""
        return self.awaits_value and self._last == "["

    @property
    def awaits_value(self) -> bool:
        """Whether a value of a list may come next, such as another record."""
        in_list = bool(self._open) and self._open[-1] == "["
        return in_list and not self._in_string and self._last in "[,"

    def take(self, text: str) -> None:
        """Read the brackets of one more line."""
        start = 0
        if self._in_string:
            rest = _REST_OF_STRING.match(text)
            self._in_string = bool(rest and rest[1] is not None)
            start = rest.end() if rest else 0
        for match in _TOKEN.finditer(text, start):
            token = match[0]
            if token in "{[":
                self._open.append(token)
            elif token in "}]":
                self._close(_OPENS[token])
            elif token[0] == '"':
                self._in_string = match[1] is not None
            self._last = token[-1]
            if len(self._open) > DEEPEST:
                self._open.clear()
                return

    def _close(self, bracket: str) -> None:
        if bracket in self._open:
            while self._open.pop() != bracket:
                pass
