"""Put the words of printed lines back together: hyphens at line ends, loose accents, headings."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from recsys.formats.drafts.pdf_pages import Line

_HYPHENS = "-\u00ad\u2010\u2011"
_BROKEN = re.compile(rf"([^\W\d_]+)[{_HYPHENS}]\Z")
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_WORD = 80
JOINING = ("/", *_HYPHENS)
"""No space stands between a line that ends so and the next one."""
_ACCENTS = {
    "\u00a8": "\u0308", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303",
    "\u00af": "\u0304", "\u02d9": "\u0307", "\u02c7": "\u030c", "\u02d8": "\u0306",
    "\u02da": "\u030a", "\u02dd": "\u030b",
}  # fmt: skip
_DOTTED = {0x0131: "i", 0x0237: "j"}
"""An accent stands on letters without their dots."""
_LOOSE_ACCENT = re.compile(rf"([{''.join(_ACCENTS)}]) ?([^\W\d_])")
_TYPED_HAT = re.compile(r"(?<=[^\W\d_])\^(?=[aeiouAEIOU](?!\w*\d))")
"""A circumflex of TeX's own fonts is read as the sign that is typed for it."""
_NUMBERING = re.compile(r"\A(?:\d{1,2}(?:\.\d{1,2})*|[IVXivx]{1,4})[.)]?\s+(?=\S)")


def joined(lines: Sequence[Line], vocabulary: Counter[str] | None = None) -> str:
    """Join lines into running text; vocabulary: see `is_broken`."""
    text = ""
    for line in lines:
        if is_broken(text, line.text, vocabulary or Counter()):
            text = text[:-1]
        elif text and not text.endswith(JOINING):
            text += " "
        text += line.text
    return composed(text)


def is_broken(text: str, words: str, vocabulary: Counter[str]) -> bool:
    """Whether a hyphen at the end of a text only divides a word from what follows it.

    So it does before a small letter, unless the vocabulary (the words of the document) knows the
    word better with it.
    """
    begun, rest = _BROKEN.search(text[-_LONGEST_WORD:]), _WORD.match(words)
    if begun is None or rest is None or not rest[0].islower():
        return False
    whole, hyphened = begun[1] + rest[0], f"{begun[1]}-{rest[0]}"
    return vocabulary[hyphened.lower()] <= vocabulary[whole.lower()]


def composed(text: str) -> str:
    """Put loose accents onto their letters; drop soft hyphens and spaces before punctuation."""
    accented = _LOOSE_ACCENT.sub(
        lambda match: unicodedata.normalize(
            "NFC", match[2].translate(_DOTTED) + _ACCENTS[match[1]]
        ),
        _TYPED_HAT.sub("\u02c6", text),
    )
    return re.sub(r" (?=[,.;:])", "", " ".join(accented.replace("\u00ad", "").split()))


def words_of(lines: Iterable[Line]) -> Counter[str]:
    """Count the words within lines, in lower case, those with hyphens as one."""
    found: Counter[str] = Counter()
    for line in lines:
        found.update(word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", line.text))
    return found


def without_running_heads(lines: Sequence[Line], others: Iterable[Line]) -> list[Line]:
    """Leave out what stands on several pages at one height, but for its figures.

    others: lines of other pages, with which heads are compared too.
    """
    places: dict[tuple[str, int], set[int]] = {}
    for line in [*lines, *others]:
        places.setdefault(_head(line), set()).add(line.page)
    return [line for line in lines if len(places[_head(line)]) < 2]


def _head(line: Line) -> tuple[str, int]:
    return re.sub(r"\d+", "", line.text).casefold(), round(line.y / 4)


def heading(text: str) -> str:
    """Reduce a line to the letters of a heading, without number, spaces and case."""
    return re.sub(r"[\W\d_]+", "", _NUMBERING.sub("", text.strip())).lower()


def main_size(lines: Sequence[Line]) -> float:
    """Return the size in which most letters are set, 0 without lines."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[round(line.size, 1)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0
