"""Works in the shapes that style guides show.

The shapes follow https://apastyle.apa.org/style-grammar-guidelines/references/examples,
https://www.acm.org/publications/authors/reference-formatting,
https://ieeeauthorcenter.ieee.org/wp-content/uploads/IEEE-Reference-Guide.pdf,
https://www.nature.com/nature/for-authors/formatting-guide,
https://www.nlm.nih.gov/bsd/uniform_requirements.html,
https://www.chicagomanualofstyle.org/tools_citationguide/citation-guide-2.html,
https://journals.aps.org/authors/references-physical-review, and the pages of styles at
https://paperpile.com/s; the works are invented.
"""

import json
import string
import time
from dataclasses import asdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.bodies.printed_works import LONGEST_TITLE_WORDS, cited_work, printed_work
from recsys.records import Reference
from tests.rows import each_row

TITLE = "Winter nests"
WHOLE = Reference(
    title=TITLE,
    authors=("A. B. Ash",),
    year=2010,
    venue="Journal of Nests",
    volume="12",
    page="34",
    others=True,
)


FILES = Path(__file__).with_name("files")
ARTICLES: dict[str, str] = json.loads(FILES.joinpath("articles.json").read_bytes())
"""Style -> one article as it prints that."""
CITED: dict[str, dict[str, object]] = json.loads(
    FILES.joinpath("printed_citations.json").read_bytes()
)
"""Forms after "Citing Medicine", https://www.ncbi.nlm.nih.gov/books/NBK7256/, whose lists PubMed
takes over, after those that JATS' tagged examples print, and as publishers send them to PubMed."""


@each_row("style", ARTICLES)
def test_articles_of_journals(style: str) -> None:
    assert printed_work(ARTICLES[style]) == WHOLE


@each_row(("text", "said"), json.loads(FILES.joinpath("printed_works.json").read_bytes()))
def test_works_in_other_forms(text: str, said: dict[str, object]) -> None:
    found = json.loads(json.dumps(asdict(printed_work(text))))
    assert {name: found[name] for name in said} == said


TEXT = st.text(string.printable + "\u201c\u201d\u2013\u00e9\u0141\u4e2d", max_size=200)


@given(TEXT | st.sampled_from(sorted(ARTICLES.values())), st.integers(0, 99), TEXT)
def test_anything_is_read_and_no_letter_is_made_up(text: str, cut: int, more: str) -> None:
    broken = text[:cut] + more + text[cut:]
    found = printed_work(broken)
    assert found.title is None or len(found.title.split()) <= LONGEST_TITLE_WORDS
    for said in (found.title, found.venue, found.volume, found.page):
        left = iter(broken)
        assert all(letter in left for letter in (said or "").replace(" ", ""))


@given(st.text(max_size=300))
def test_any_text_gives_a_work(text: str) -> None:
    cited_work(text)


UNITS = "A. |Ash, |Ash A, |A-|(2010|10.1000/|\u201c|In: |1, 2 (|and |(2001) |A, B. |2001;|. 12, |1("


@each_row("unit", UNITS.split("|"))
def test_a_long_line_costs_little(unit: str) -> None:
    begun = time.process_time()
    printed_work(unit * (2_000 // len(unit)))
    cited_work(unit * 200_000)
    assert time.process_time() - begun < 1.5
