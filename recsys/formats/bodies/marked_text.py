"""Turn a paragraph with the places of its citations into sentences without them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recsys.formats.bodies.sentence_splitting import sentence_spans
from recsys.passages import Mark, Sentence, Span

FEWEST_WORDS = 2
"""What has fewer, and cites nothing, is no sentence but the rest of a table or a formula."""

Place = Callable[[int, int], Span]
"""Says where the characters of a text from the first to before the second stand in the file."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A citation or a gap in a text: from the character `begin` to before `end`; see `Mark`.

    printed: the mark, where it is not what stands there (the words of a comment).
    """

    begin: int
    end: int
    keys: tuple[str, ...] = ()
    gap: bool = False
    printed: str = ""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A paragraph as it stands in a file, and what is cited in it; see `Sentence` for the rest."""

    text: str
    spots: tuple[Spot, ...]
    place: Place
    section: str = ""
    paragraph: int = 0


def sentences_of(marked: MarkedText) -> Iterator[Sentence]:
    """Split a paragraph into sentences; what marks them as citing is taken out of their words."""
    spots = apart(marked.spots)
    text, origin, places = _taken_out(marked.text, spots)
    placed = list(zip(spots, places, strict=True))
    taken = 0
    bounds = sentence_spans(text)
    for number, (begin, end) in enumerate(bounds):
        last = number + 1 == len(bounds)
        until = taken
        # A mark at the very end of a sentence, such as ".[12]", is its own, not the next one's.
        while until < len(spots) and (last or places[until] <= end):
            until += 1
        sentence = _sentence(
            marked,
            text[begin:end],
            (begin, origin),
            placed[taken:until],
        )
        taken = until
        if sentence.marks or sum(map(_is_word, sentence.text.split())) >= FEWEST_WORDS:
            yield sentence


def apart(spots: Sequence[Spot]) -> list[Spot]:
    """Sort spots and leave out those that begin within another one."""
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda each: (each.begin, -each.end)):
        if not kept or spot.begin >= kept[-1].end:
            kept.append(spot)
    return kept


def _taken_out(text: str, spots: Sequence[Spot]) -> tuple[str, list[int], list[int]]:
    """Take spots out: (the words in single spaces, where each stood, where each spot was)."""
    kept: list[str] = []
    origin: list[int] = []
    places: list[int] = []
    at = 0
    for spot in (*spots, None):
        for place in range(at, spot.begin if spot else len(text)):
            if not text[place].isspace():
                kept.append(text[place])
                origin.append(place)
            elif kept and kept[-1] != " ":
                kept.append(" ")
                origin.append(place)
        if spot is None:
            break
        at = spot.end
        follows = text[at : at + 1]
        if kept and kept[-1] == " " and not (follows.isalnum() and spot.end > spot.begin):
            if spot.end > spot.begin or not follows.strip():
                kept.pop()
                origin.pop()
        places.append(len(kept))
    return "".join(kept), origin, places


def _sentence(
    marked: MarkedText,
    text: str,
    at: tuple[int, Sequence[int]],
    spots: Sequence[tuple[Spot, int]],
) -> Sentence:
    """Make a sentence of its words; at: where they begin, and where each character stood."""
    begin, origin = at
    lead = len(text) - len(text.lstrip())
    words = text.strip()
    first, last = begin + lead, begin + lead + len(words) - 1
    edges = [(origin[first], origin[last] + 1), *((spot.begin, spot.end) for spot, _ in spots)]
    return Sentence(
        text=words,
        marks=tuple(
            Mark(
                at=min(max(place - first, 0), len(words)),
                keys=spot.keys,
                gap=spot.gap,
                printed=spot.printed or marked.text[spot.begin : spot.end],
                span=marked.place(spot.begin, spot.end),
            )
            for spot, place in spots
        ),
        section=marked.section,
        paragraph=marked.paragraph,
        span=marked.place(min(edge[0] for edge in edges), max(edge[1] for edge in edges)),
    )


def _is_word(text: str) -> bool:
    return sum(map(str.isalpha, text)) > 1
