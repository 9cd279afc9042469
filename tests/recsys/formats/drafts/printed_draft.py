"""A short paper as a program prints it."""

from pathlib import Path

from recsys.formats.drafts.pdf import parse
from recsys.records import Manuscript
from tests.recsys.formats.drafts.small_pdf import Text, down, write_pdf

TITLE = "Nests of Beetles in Northern Crete"
ABSTRACT = [
    "We describe where the beetles of northern Crete build their nests, and find a dif-",
    "ference between well-known and little-known ones. Nests were counted by hand",
    "in seventy-two gardens.",
]
WHOLE = (
    "We describe where the beetles of northern Crete build their nests, and find a difference "
    "between well-known and little-known ones. Nests were counted by hand in seventy-two gardens."
)
BODY = ["1 Introduction", *["Beetles build nests, and we look for them, which is hard."] * 8]


def front(
    *, title: str = TITLE, size: float = 18, byline: str = "Ada Ash and Bo Birch"
) -> list[Text]:
    return [
        Text(title, 100, 720, size),
        Text(byline, 150, 690, 12),
        Text("Abstract", 200, 660, 12),
        *down(ABSTRACT, y=640),
        *down(BODY, y=560),
    ]


def read(
    *pages: list[Text], facts: dict[str, str] | None = None, packed: bool = True
) -> Manuscript:
    return parse(write_pdf(pages, facts=facts, packed=packed), Path("draft.pdf")).manuscript()


NUMBERED = [
    "[1] A. Ash, B. Birch, and C. Cedar. How beetles find their win-",
    "ter nests. Journal of Nests 12(3), 2010. doi:10.1000/nests.",
    "2010.3",
    '[2] D. Date, "On honey and gravel," in Proc. Honey, 2012, pp. 3-7.',
    "[3] E. Elm. Engines of clouds. arXiv preprint arXiv:2004.07180, 2020.",
]
