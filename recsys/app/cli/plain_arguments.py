"""Read the arguments of a command that are well-formed, without importing anything for it.

Whatever is not fully understood here, a mistake, `--help`, some rare way to write an option, is
left to typer, which reads it or says what is wrong. Both read the same declarations; what is read
here, typer reads as the same values.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

from recsys.app.cli.declarations import Argument, Command, OneOf, Option, parameters

Reader: TypeAlias = Callable[[str], object]

_DIGITS = 15
"""Of a number, at most: so many are exact in a float, too."""


class _NotPlain(Exception):
    """Something is not fully understood."""


@dataclass(frozen=True, slots=True)
class _Taker:
    """What a parameter takes: one word or several, read one by one; a flag has no reader."""

    parameter: inspect.Parameter
    note: Option | Argument
    reader: Reader | None
    several: bool

    def value(self, words: Sequence[str]) -> object:
        """Read the words that were given, of which the last counts if it takes only one."""
        if not words:
            if self.parameter.default is inspect.Parameter.empty:
                raise _NotPlain
            return self.parameter.default
        if self.reader is None:
            return True
        values = [self._bounded(self.reader(word)) for word in words]
        return values if self.several else values[-1]

    def _bounded(self, value: Any) -> object:  # noqa: ANN401  # A number where there are bounds.
        if isinstance(self.note, Option):
            low, high = self.note.min, self.note.max
            if (low is not None and value < low) or (high is not None and value > high):
                raise _NotPlain
        return value


def read(run: Command, words: Sequence[str]) -> dict[str, object] | None:
    """Read the arguments of a command by the names of its parameters; None: let typer do it."""
    try:
        takers = [_taker(each) for each in parameters(run)]
        given = _given(words, takers)
        return {each.parameter.name: each.value(given[each.parameter.name]) for each in takers}
    except _NotPlain:
        return None


def _given(words: Sequence[str], takers: Sequence[_Taker]) -> Mapping[str, list[str]]:
    """Give every word to the parameter that takes it."""
    given: dict[str, list[str]] = {each.parameter.name: [] for each in takers}
    options = {name: each for each in takers for name in _names(each.note)}
    loose: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        taker = options.get(name)
        if taker is None:
            loose.append(_plain(word))
        elif taker.reader is not None:
            given[taker.parameter.name].append(value if equals else _plain(next(rest, "")))
        elif equals:
            raise _NotPlain
        else:
            given[taker.parameter.name].append(name)
    places = [each for each in takers if isinstance(each.note, Argument)]
    return given | _placed(loose, places)


def _placed(words: Sequence[str], places: Sequence[_Taker]) -> dict[str, list[str]]:
    """Give words without names to the arguments in their order; the last may take several."""
    if any(each.several for each in places[:-1]):
        raise _NotPlain
    several = bool(places) and places[-1].several
    if len(words) > len(places) and not several:
        raise _NotPlain
    cut = len(places) - 1 if several else len(places)
    given = {place.parameter.name: [word] for place, word in zip(places, words[:cut], strict=False)}
    if several:
        given[places[-1].parameter.name] = list(words[cut:])
    return given


def _plain(word: str) -> str:
    """Let nothing pass that could be meant as an option."""
    if not word or (word.startswith("-") and word != "-"):
        raise _NotPlain
    return word


def _taker(parameter: inspect.Parameter) -> _Taker:
    kind, *notes = get_args(parameter.annotation)
    note = notes[-1]
    if get_args(kind)[1:] == (NoneType,):
        kind, _ = get_args(kind)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    if isinstance(notes[0], OneOf):
        return _Taker(parameter, note, _one_of(tuple(notes[0].names)), several)
    if get_origin(kind) is Literal:
        return _Taker(parameter, note, _one_of(get_args(kind)), several)
    if kind is bool and parameter.default is False and "/" not in note.name:
        return _Taker(parameter, note, None, several)
    if kind not in _READERS:
        raise _NotPlain
    return _Taker(parameter, note, _READERS[kind], several)


def _names(note: Option | Argument) -> tuple[str, ...]:
    if isinstance(note, Argument):
        return ()
    return (note.name,) if note.short is None else (note.name, note.short)


def _text(word: str) -> str:
    try:
        word.encode()
    except UnicodeEncodeError:  # A name with bytes that are no UTF-8.
        raise _NotPlain from None
    return word


def _path(word: str) -> Path:
    return Path(_text(_plain(word)))


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS):
        raise _NotPlain
    return int(word)


def _decimal(word: str) -> float:
    whole, point, part = word.partition(".")
    _whole(whole + part)
    if not whole or (point and not part):
        raise _NotPlain
    return float(word)


def _one_of(names: tuple[str, ...]) -> Reader:
    def member(word: str) -> str:
        if word not in names:
            raise _NotPlain
        return word

    return member


_READERS: Mapping[type, Reader] = {str: _text, Path: _path, int: _whole, float: _decimal}
"""Type of a value -> what reads it."""
