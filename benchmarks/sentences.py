"""Citing sentences of a corpus, in the form that `recsys add-contexts` and `evaluate-local` read.

    python -m benchmarks.sentences CORPUS OUT --data DIR [--part dev]

DATA holds CORPUS/sentences.jsonl.gz: an article a line, {"citing", "sentences": [[section,
paragraph, text, cited ids, [[start, end, id or null], ...]], ...]}. A mark that is a number is
taken out of its sentence, as readers of full texts do; one of a name and a year stays. A number
that a journal sets behind the full stop was cut off with the next sentence: it belongs to the one
before.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from benchmarks.bench import SPLIT, Data, gzipped, program
from recsys.errors import check_name
from recsys.formats.contexts.citing_text import ELSEWHERE, has_words, without_marks
from recsys.records import Context

SENTENCES = "sentences.jsonl.gz"
PARTS = ("train", "dev", "test")
Mark: TypeAlias = tuple[int, int, str | None]
"""Begin and end in the sentence, and the id of the work; None where that is not known."""
_NUMBER = re.compile(r"[\[(]?\s*\d{1,3}(?:\s*[,;\u2010-\u2015-]\s*\d{1,3})*\s*[\])]?")
_AFTER_STOP = re.compile(r"[\s,;\u2010-\u2015\]-]*")
"""What may stand before a number that belongs to the sentence before, or between two such."""


def citing_sentences(path: Path, ids: frozenset[str] | None = None) -> Iterator[Context]:
    """Yield a context for each work that a sentence cites.

    ids: of the articles that are read; None: all.
    """
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for article in map(json.loads, lines):
            if ids is None or article["citing"] in ids:
                yield from _of_article(article["citing"], article["sentences"])


def _of_article(
    citing: str, sentences: Sequence[tuple[str, int, str, object, list[Mark]]]
) -> Iterator[Context]:
    said: list[tuple[tuple[str, int], str, list[str]]] = []  # Where, words, and what they cite.
    for section, paragraph, printed, _, marks in sentences:
        where = section, paragraph
        text, before, own = _parted(printed, marks)
        if said and said[-1][0] == where:
            said[-1][2].extend(before)
        else:
            own = [*before, *own]
        if text:
            said.append((where, text, own))
    for (section, _), text, cited in said:
        if has_words(text):
            yield from (Context(citing, work, text, section) for work in dict.fromkeys(cited))


def _parted(text: str, marks: Sequence[Mark]) -> tuple[str, list[str], list[str]]:
    """Take the numbers out of a sentence.

    Returns:
        The rest; the works whose numbers stand before its first word; those that it cites itself.
    """
    pieces, place, leading = list[str](), 0, True
    before, own = list[str](), list[str]()
    for start, end, work in sorted(marks, key=lambda mark: mark[:2]):
        if number := _NUMBER.fullmatch(text[start:end]):
            leading = leading and _AFTER_STOP.fullmatch(text[place:start]) is not None
            if start >= place:  # Two works may share a number's place.
                pieces += [] if leading else [text[place:start], ELSEWHERE]
                place = end
        if work is not None:
            (before if number and leading else own).append(work)
    pieces.append(text[place:])
    return without_marks("".join(pieces)).strip(), before, own


def run(
    corpus: str,
    out: Path,
    data: Data,
    part: Annotated[str | None, typer.Option(help="train, dev or test; all articles else.")] = None,
) -> None:
    """Write the contexts of a corpus, or of a part of its split."""
    folder = data / corpus
    ids = None
    if part is not None:
        check_name(part, PARTS, "part")
        ids = frozenset(json.loads((folder / SPLIT).read_text(encoding="utf-8"))[part])
    with gzipped(out) as file:
        for each in citing_sentences(folder / SENTENCES, ids):
            told = {"citing": each.citing, "cited": each.cited, "text": each.text}
            told |= {"section": each.section} if each.section else {}
            file.write(json.dumps(told, ensure_ascii=False).encode() + b"\n")


main = program("benchmarks.sentences", run)
if __name__ == "__main__":
    sys.exit(main())
