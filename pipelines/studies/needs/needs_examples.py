"""Make examples of sentences with and without citations, from which no model can read the answer.

A citation that is taken out may leave a hole ("as shown by , bees"), and a model would learn to
see holes. So of the citing sentences only those count whose marks stood in brackets of their own
behind a word that asks for nothing more; all others are left out, and so is every sentence, citing
or not, that looks as if something were missing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsys.local.needs.needs_rules import is_long_enough, is_own
from recsys.passages import Mark, Sentence

_IN_BRACKETS = re.compile(
    r"\A(?:[\[(]|\\(?:citep|parencite|autocite|footcite|supercite|smartcite|cite)\b\*?)"
)
_ASKS_FOR_MORE = re.compile(
    r"(?:\b(?:by|in|of|see|also|from|to|and|with|than|as|e\.g\.,?|i\.e\.,?|cf\.?|on|at|via|or|for|"
    r"the|a|an|refs?\.?|references?|reviewed|eqs?\.?|that|which|through|after|like|between|"
    r"both|per|into|using|follow(?:s|ing)?|is|are|was|were|et al\.?)|[(\[,;:/=-])\s*\Z",
    re.IGNORECASE,
)
_FOLLOWS_WELL = re.compile(r"\s*(?:[.,;:?!)\]\u2014\u2013]|\Z|\s(?!\s)[a-z(])")
_HOLE = re.compile(
    r"\(\s*(?:see|e\.g\.|i\.e\.|cf\.|also|and|[,;:.\s])*\)|\[[\s,;]*\]|[,;(\[]\s*[,;.)\]]"
    r"|\s[,;.:)\]](?:\s|\Z)|\s\s"
    r"|\b(?:by|in|of|see|from|to|with|and|the|e\.g\.|cf\.)\s*[,;.)](?:\s|\Z)"
)
_NAMES_AUTHORS = re.compile(
    r"\bet\.? al\b|\b(?:and|&) (?:colleagues|co-?workers|others)\b"
    r"|\b[A-Z][\w'\u2019-]+,? \(?(?:1[6-9]|20)\d\d[a-z]?\b"
    r"|\b[A-Z][\w'\u2019-]+ (?:and|&) [A-Z][\w'\u2019-]+,? (?:\(|(?:1[6-9]|20)\d\d|(?:show|prop|"
    r"find|found|report|suggest|argu|demonstrat|descri|develop|introduc|us))"
    r"|\b(?:refs?\.|references?) \d"
)
_WHOLE = re.compile(r"\A[\W_]*[A-Z\d].*[.?!:][\"'\u201d\u2019)]?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Examples:
    """The sentences of one text that a model may learn from.

    sentences: all of the text, in order, marks hidden or not as a draft's are. rows: (n,) int64,
    which of them are examples. cites: (n,) bool. refused: how many sentences that cite, and how
    many that do not, are no examples only because the rules never flag them.
    """

    name: str
    source: str
    sentences: tuple[Sentence, ...]
    rows: np.typing.NDArray[np.int64]
    cites: np.typing.NDArray[np.bool_]
    refused: tuple[int, int]


def examples_of(name: str, source: str, sentences: Sequence[Sentence]) -> Examples:
    """Choose the sentences of a text that tell of citing without telling by a hole."""
    whole = [i for i, sentence in enumerate(sentences) if reads_whole(sentence)]
    rows = [i for i in whole if not is_own(sentences[i].text)]
    cites = [bool(sentences[i].marks) for i in rows]
    of_whole = sum(bool(sentences[i].marks) for i in whole)
    refused = of_whole - sum(cites), len(whole) - of_whole - (len(cites) - sum(cites))
    numbers, labels = np.array(rows, np.int64), np.array(cites, np.bool_)
    return Examples(name, source, tuple(sentences), numbers, labels, refused)


def reads_whole(sentence: Sentence) -> bool:
    """Whether a sentence reads as if its author had cited nothing there, and named nobody."""
    text = sentence.text
    if not _WHOLE.match(text) or _HOLE.search(text) or _NAMES_AUTHORS.search(text):
        return False
    return is_long_enough(text) and all(leaves_no_hole(text, mark) for mark in sentence.marks)


def leaves_no_hole(text: str, mark: Mark) -> bool:
    """Whether a text reads on where a mark was taken out."""
    if mark.gap or not _IN_BRACKETS.match(mark.printed):
        return False
    before, after = text[: mark.at], text[mark.at :]
    return not _ASKS_FOR_MORE.search(before) and bool(_FOLLOWS_WELL.match(after))


def with_marks_hidden(
    sentences: Sequence[Sentence], share: float, rng: np.random.Generator
) -> tuple[Sentence, ...]:
    """Take the marks out of a share of the citing sentences, as in a draft that is not finished."""
    hidden = rng.random(len(sentences)) < share
    return tuple(
        replace(sentence, marks=()) if hide else sentence
        for sentence, hide in zip(sentences, hidden, strict=True)
    )


def marks_at_end(examples: Examples) -> np.typing.NDArray[np.bool_]:
    """Tell which examples cite, and only where the sentence ends: (n,) bool."""
    chosen = (examples.sentences[row] for row in examples.rows)
    return np.array(
        [
            bool(s.marks) and all(len(s.text.rstrip(".?!")) <= mark.at for mark in s.marks)
            for s in chosen
        ],
        np.bool_,
    )
