"""Runs and judgements in TREC format, written so that every tool reads the same order.

A run has lines `query Q0 paper rank score tag`, judgements (qrels) have `query 0 paper relevance`.
Tools order a run by its scores, compare them as 32-bit floats and disagree on ties; so scores are
written strictly decreasing in 32 bits, and ranks count from 1.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from operator import gt
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np

from recsys.errors import InputError, near_path
from recsys.formats.replacing import replacing
from recsys.records import PaperId
from recsys.store.arrays import Floats

Run: TypeAlias = dict[str, dict[PaperId, float]]
"""query -> paper -> score"""
Qrels: TypeAlias = dict[str, dict[PaperId, int]]
"""query -> paper -> relevance, > 0 for gold"""

Number = TypeVar("Number", int, float)


def ordered(scores: Mapping[PaperId, float]) -> list[PaperId]:
    """Order papers by descending score, ties by ascending id."""
    values = list(scores.values())
    if all(map(gt, values, values[1:])):  # As written by us, and by most.
        return list(scores)
    return sorted(scores, key=lambda paper: (-scores[paper], paper))


def strictly_decreasing(scores: Floats) -> Floats:
    """Lower each score, by as little as float32 can, that is not below the one before it.

    Raises:
        InputError: a score is not finite, or nothing is left below it.
    """
    lowered = np.array(scores, np.float32)
    for i in range(1, len(lowered)):
        if not lowered[i] < lowered[i - 1]:
            lowered[i] = np.nextafter(lowered[i - 1], np.float32(-np.inf))
    if not (np.isfinite(scores).all() and np.isfinite(lowered).all()):
        worst = next(i for i in range(len(lowered)) if not np.isfinite(lowered[i] + scores[i]))
        raise InputError(
            f"The score at rank {worst + 1} is {scores[worst]}: it cannot be ordered.",
            "Check the ranker that gave it (`recsys inspect INDEX --verify`).",
        )
    return lowered


def run_lines(query: str, papers: Sequence[PaperId], scores: Floats, *, tag: str) -> list[str]:
    """Write one query's ranking as lines.

    Args:
        query: its id.
        papers: best first.
        scores: (len(papers),) float32, not increasing; ties are resolved in the given order.
        tag: name of the system.

    Raises:
        InputError: an id cannot stand in a column, or a score is not finite.
    """
    for name in (query, tag, *papers):
        _check_word(name)
    # str() of a float32 is the shortest text that reads back as the same float32.
    rows = zip(papers, strictly_decreasing(scores), strict=True)
    return [f"{query} Q0 {paper} {i} {score!s} {tag}" for i, (paper, score) in enumerate(rows, 1)]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Replace a text file as a whole: a reader sees the old one or the new one."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def write_run(
    path: Path, rankings: Iterable[tuple[str, Sequence[PaperId], Floats]], *, tag: str
) -> None:
    """Write a run from (query, papers best first, scores)."""
    blocks = (run_lines(query, papers, scores, tag=tag) for query, papers, scores in rankings)
    write_lines(path, (line for block in blocks for line in block))


def write_qrels(path: Path, gold: Mapping[str, Iterable[PaperId]]) -> None:
    """Write the gold papers of each query, with relevance 1, in ascending order."""
    lines = [f"{query} 0 {paper} 1" for query in gold for paper in sorted(gold[query])]
    for word in {word for query in gold for word in (query, *gold[query])}:
        _check_word(word)
    write_lines(path, lines)


def read_run(path: Path) -> Run:
    """Read a run; the rank column is checked and then ignored, as every tool does.

    Raises:
        InputError: unreadable, another number of columns, a rank or score that is no number, NaN
            or infinite, or a paper twice for one query; with the line number.
    """
    found: Run = {}
    for place, (query, _, paper, rank, score, _) in _rows(path, "query Q0 paper rank score tag"):
        _number(place, "rank", rank, int)
        value = _number(place, "score", score, float)
        if not isfinite(value):
            raise InputError(f"{place}: the score is {score}.", "Only finite scores are ordered.")
        _enter(found, place, query, paper, value)
    return found


def read_runs(paths: Sequence[Path], taken: Sequence[str] = ()) -> dict[str, Run]:
    """Read runs, each a system named by its file's stem; taken: names that others have.

    Raises:
        InputError: a name is there twice, or a run cannot be read.
    """
    names = Counter([*taken, *(path.stem for path in paths)])
    if twice := [name for name, count in names.items() if count > 1]:
        raise InputError(
            f"Two systems are called {twice[0]!r}.", "A system is named by its file: rename one."
        )
    return {path.stem: read_run(path) for path in paths}


def read_qrels(path: Path) -> Qrels:
    """Read judgements.

    Raises:
        InputError: unreadable, another number of columns, a relevance that is no whole number, or
            a paper twice for one query; with the line number.
    """
    found: Qrels = {}
    for place, (query, _, paper, relevance) in _rows(path, "query 0 paper relevance"):
        _enter(found, place, query, paper, _number(place, "relevance", relevance, int))
    return found


def _rows(path: Path, form: str) -> Iterator[tuple[str, list[str]]]:
    """Give where each line stands that is not blank, and its columns; form: what they must be."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        hint = near_path(path).strip() or "Check the path."
        raise InputError(f"There is no file {path}.", hint) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason}).", "Save it again.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).", "Give a file.") from error
    width, name = len(form.split()), str(path)
    for number, line in enumerate(lines, 1):
        if columns := line.split():
            if len(columns) != width:
                raise InputError(
                    f"{path}:{number}: {len(columns)} columns instead of {width}.",
                    f"Each line must read: {form}.",
                )
            yield f"{name}:{number}", columns


def _number(place: str, name: str, text: str, kind: Callable[[str], Number]) -> Number:
    try:
        return kind(text)
    except ValueError as error:
        raise InputError(
            f"{place}: the {name} {text!r} is no number.", "Write it in ASCII digits."
        ) from error


def _enter(
    found: dict[str, dict[PaperId, Number]], place: str, query: str, paper: PaperId, value: Number
) -> None:
    papers = found.setdefault(query, {})
    if paper in papers:
        raise InputError(
            f"{place}: the paper {paper!r} appears twice for the query {query!r}.",
            "Keep its better line.",
        )
    papers[paper] = value


def _check_word(name: str) -> None:
    if name.split() != [name]:
        raise InputError(
            f"{name!r} cannot stand in a TREC file: its columns are separated by spaces.",
            "Give the papers ids without spaces.",
        )
