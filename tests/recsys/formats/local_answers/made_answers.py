"""Answers for tests: gaps found in a text by a pattern, and papers that fit them."""

import re
from dataclasses import replace
from pathlib import Path

from recsys.formats.local_answers.shown_gaps import papers_of
from recsys.records import Gap, LocalAnswer, Mark, Paper, Reason, Recommendation, Sentence, Span

SPECTER = Paper(
    id="specter",
    title="SPECTER: Document-level Representation Learning",
    year=2020,
    authors=("Arman Cohan", "Sergey Feldman"),
    venue="ACL",
    doi="10.18653/v1/2020.acl-main.207",
    abstract="Vectors of papers.",
)
TREES = Paper(
    id="trees", title="Growing {Trees} & shrubs", year=2004, authors=("Ash, Ada",), venue="Botany"
)
BARE = Paper(id="x1", title="On nothing in particular")
REASON = Reason("named", "named in the sentence")

GAP = re.compile(
    r"\\[A-Za-z]*cite[a-z]*\*?(?:\[[^\]]*\])*\{[^{}]*\?[^{}]*\}|\\[a-z]*cite[a-z]*\{\s*\}"
    r"|\[@\?\]|\[[^\[\]]*@\?[^\[\]]*\]|\[CITE\]|\(REF\)|\\todo\{[^{}]*\}|\[\?\]"
    r"|\\citationneeded(?:\{\})?"
)
KEYS = re.compile(r"@?[A-Za-z][\w:-]*")


def recommended(paper: Paper, rank: int = 1, probability: float = 0.93) -> Recommendation:
    return Recommendation(rank, paper, 2.5, probability, ("bm25",), (REASON,), ("shared words",))


ITEMS = (recommended(SPECTER), recommended(TREES, 2, 0.4), recommended(BARE, 3, 0.004))


def span_at(text: str, start: int, end: int) -> Span:
    """Count lines and columns as a reader of the file does."""
    plain = [text[:at].replace("\r\n", "\n").replace("\r", "\n") for at in (start, end)]
    places = [(each.count("\n") + 1, len(each) - each.rfind("\n")) for each in plain]
    return Span(*places[0], *places[1])


def marks_in(text: str) -> list[Mark]:
    """Find the marks that lack a citation; true keys are those that begin with a letter."""
    found = []
    for match in GAP.finditer(text):
        listed = match[0].partition("{")[2] if match[0].startswith("\\") else match[0]
        cites = match[0].startswith(("\\todo", "\\citationn", "[CITE", "(REF"))
        keys = () if cites else tuple(key.lstrip("@") for key in KEYS.findall(listed))
        span = span_at(text, *match.span())
        printed = match[0].replace("\r\n", "\n").replace("\r", "\n")
        found.append(Mark(0, keys, True, printed, span))
    return found


def answer_on(
    path: Path | str, text: str, items: tuple[Recommendation, ...] = ITEMS
) -> LocalAnswer:
    """Make an answer that fills each mark of a text."""
    marks = marks_in(text)
    gaps = [Gap(Sentence("Trees grow.", (mark,)), 10, mark, None, items) for mark in marks]
    return LocalAnswer(tuple(gaps), draft=str(path))


def small_answer() -> LocalAnswer:
    """A marked gap with three papers, and a sentence without a mark that none fits."""
    mark = Mark(18, ("ash04",), True, r"\cite{ash04,?}", Span(12, 20, 12, 34))
    first = Sentence(
        "Vectors of papers have been learned [1] from <citations>.",
        (mark,),
        section="Related work",
        file="intro.tex",
        span=Span(12, 1, 13, 5),
    )
    second = Sentence("Trees grow in the dark.", span=Span(40, 3, 40, 26))
    return LocalAnswer(
        gaps=(Gap(first, 17, mark, None, ITEMS), Gap(second, 22, None, 0.8125)),
        understood="paper.tex: 120 sentences.",
        counts={"sentences": 120, "cited": 80, "gaps": 2},
        notes=("One table was left out.",),
        draft="draft/paper.tex",
    )


def empty_answer() -> LocalAnswer:
    return replace(small_answer(), gaps=())


def all_papers() -> list[Paper]:
    return papers_of(small_answer())
