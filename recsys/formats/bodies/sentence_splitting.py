"""Split a paragraph into its sentences.

sentencex finds the boundaries: a library of Wikimedia's, compiled, which keeps offsets, takes 1 ms
for 800 sentences and imports in 2 ms (syntok takes 25 ms, pysbd 65 to 165 ms). It splits rather too
often at the abbreviations of scholarly text, and that can be mended from outside: what it splits
wrongly is joined here. syntok misses sentences that begin in lower case or behind ".[12]"; what is
not split cannot be mended so.
"""

import re

from sentencex import get_sentence_boundaries

MOST_AT_ONCE = 20_000
"""Characters that the library is given at once, so that no text costs more than in proportion."""
LONGEST_TAIL = 60
"""Characters on each side of a boundary that are looked at."""

_ALWAYS = frozenset(
    "e.g i.e cf vs viz ca approx resp w.r.t w.l.o.g s.t a.k.a i.i.d eg ie esp incl excl prof dr "
    "mr mrs ms st proc natl acad sci conf int univ dept trans symp assoc fig figs eq eqs eqn "
    "eqns sec secs sect sects tab tabs ref refs thm lem cor def defs prop alg algs chap chaps "
    "suppl vol vols pp para ex exs lab subsp aff phys chem biol rev lett bull".split()
)
"""What never ends a sentence, without its last full stop."""
_BEFORE_NUMBERS = frozenset(
    "no nos p app appx art ch pt sp spp al ed eds op min max avg est exp obs col ser ver v n ln "
    "ll l n.b jan feb mar apr jun jul aug sep sept oct nov dec ext".split()
)
"""What ends none before a number or a bracket."""
_LAST_WORD = re.compile(r"(?:\A|[\s(\[{/~\u2013\u2014\"'\u201c\u2018])([^\W\d_][\w.]{0,10})\.\s*\Z")
_NUMBER = re.compile(r"[(\[]?\d|[(\[]|[A-Z](?:\.\d|\b(?![\w' -]))")
_LOWER = re.compile(r"[^\W\d_A-Z]+")
_NO_WORD = re.compile(r"[\W_]*(?:\d[\d.,]*|[^\W\d_])?[\W_]*\Z")
_BEHIND_BRACKET = re.compile(r"[.!?][)\]][\"'\u201d\u2019]?(\s+)(?=[\"'\u201c\u2018(\[]?[A-Z])")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a paragraph begins and ends, without the spaces around it."""
    starts = [0]
    for boundary in sorted({*_boundaries(text), *_behind_brackets(text)}):
        left = text[max(starts[-1], boundary - LONGEST_TAIL) : boundary]
        if _ends(left, text[boundary : boundary + LONGEST_TAIL]):
            starts.append(boundary)
    spans = zip(starts, [*starts[1:], len(text)], strict=True)
    return [span for start, end in spans if (span := _trimmed(text, start, end))]


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph."""
    return [text[start:end] for start, end in sentence_spans(text)]


def may_end(left: str) -> bool:
    """Whether a sentence may end with a piece of text: its last word is no abbreviation."""
    left = left.rstrip()
    word = _LAST_WORD.search(left[-16:])
    name = word[1].lower() if word else ""
    ended = left.rstrip("\"')]}\u201d\u2019").endswith((".", "!", "?"))
    return ended and name not in _ALWAYS and name not in _BEFORE_NUMBERS


def _boundaries(text: str) -> list[int]:
    """Return the places where the library lets a sentence begin."""
    found, at = list[int](), 0
    while at < len(text):
        piece = text[at : at + MOST_AT_ONCE]
        starts = [boundary["start_index"] for boundary in get_sentence_boundaries("en", piece)]
        found += [at + start for start in starts if at + start]
        last = starts[-1] if starts else 0
        # What it finds in the last sentence of a cut piece, it finds again with what follows.
        at += last if last and len(text) > at + MOST_AT_ONCE else len(piece)
    return found


def _behind_brackets(text: str) -> list[int]:
    """Return where a sentence begins behind one that stands in brackets with its full stop."""
    return [match.end(1) for match in _BEHIND_BRACKET.finditer(text)]


def _ends(left: str, right: str) -> bool:
    """Whether a sentence ends between two pieces of text."""
    right = right.lstrip()
    if not right or _NO_WORD.match(left):
        return False
    word = _LAST_WORD.search(left[-16:])
    name = word[1].lower() if word else ""
    if name in _ALWAYS or (name in _BEFORE_NUMBERS and _NUMBER.match(right)):
        return False
    if right[0] in ",;:)]}%/":
        return False
    lower = _LOWER.match(right)
    # A name such as iPhone or p53 begins a sentence; other words in lower case go on with one.
    return lower is None or right[lower.end() : lower.end() + 1].isalnum()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)
