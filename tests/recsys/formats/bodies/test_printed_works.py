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
    title=TITLE, authors=("A. B. Ash",), year=2010, venue="Journal of Nests", volume="12", page="34"
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


@each_row(
    ("text", "author"),
    [
        ("Ash AB, Birch C. Winter nests. Journal of Nests. 2010;12(3):34-56.", "AB Ash"),
        ("Ash AB. Winter nests. Journal of Nests 2010;12:34.", "AB Ash"),
        (
            "Ada B. Ash and Carl Birch. 2010. Winter nests. Journal of Nests 12, 3 "
            "(Jan. 2010), 34-56.",
            "Ada B. Ash",
        ),
        (
            "Ash, Ada, and Carl Birch. 2010. \u201cWinter nests.\u201d Journal of Nests 12 "
            "(3): 34\u201356.",
            "Ada Ash",
        ),
        (
            "Ada Ash, Carl D\u2019Arc, and Eve van der Elm. Winter nests. Journal of "
            "Nests, 12:34\u201356, 2010.",
            "Ada Ash",
        ),
    ],
)
def test_names_in_other_forms(text: str, author: str) -> None:
    found = printed_work(text)
    assert found == Reference(
        title=TITLE, authors=(author,), year=2010, venue="Journal of Nests", volume="12", page="34"
    )


def test_papers_of_meetings_and_preprints() -> None:
    meeting = printed_work(
        "[D. Date.] E. Elm. On honey. In Proceedings of the 3rd Meeting, pages 3\u20137, 2012."
    )
    assert meeting.year == 2012
    meeting = printed_work(
        "E. Elm. On honey. In Proceedings of the 3rd Meeting on Bees, pages 3\u20137."
    )
    assert (meeting.title, meeting.venue, meeting.page) == (
        "On honey",
        "Proceedings of the 3rd Meeting on Bees",
        "3",
    )
    within = printed_work(
        "E. Elm, On honey, in: Proceedings of Bees, 2012, pp. 3\u20137. doi:10.1000/x."
    )
    assert (within.title, within.venue, within.year) == ("On honey", "Proceedings of Bees", 2012)
    assert within.doi == "10.1000/x"
    preprint = printed_work(
        "Elm, E. On honey. Preprint at https://arxiv.org/abs/2004.07180 (2020)."
    )
    assert (preprint.title, preprint.arxiv, preprint.year) == ("On honey", "2004.07180", 2020)


def test_lists_of_physicists_name_no_titles() -> None:
    found = printed_work("A. B. Ash and C. Birch, Phys. Rev. B 12, 34 (2010).")
    assert found == Reference(
        authors=("A. B. Ash",), year=2010, venue="Phys. Rev. B", volume="12", page="34"
    )
    assert printed_work("E. Elm, in Proceedings of Bees (2012) pp. 3\u20137.").title is None


@each_row(
    ("text", "title"),
    [
        ("A. Ash. Do beetles nest? A study of gardens. Journal of Nests, 2010.",
         "Do beetles nest? A study of gardens"),
        ("A. Ash. Do beetles nest? Journal of Nests, 12:3, 2010.", "Do beetles nest?"),
        ("A. Ash. Do beetles nest? Commun. ACM 50, 1 (2010), 3-4.", "Do beetles nest?"),
        ("A. Ash, Nests in O(n log n) time, J. Nests 12 (2010) 3.", "Nests in O(n log n) time"),
        ("A. Ash. Nests 2.0: beetles at scale. J. Nests, 2010.", "Nests 2.0: beetles at scale"),
        ("Ash, A. (2010). Nests in Crete, Rhodes, and Malta. Journal of Nests.",
         "Nests in Crete, Rhodes, and Malta"),
    ],
)  # fmt: skip
def test_titles_with_signs_within(text: str, title: str) -> None:
    assert printed_work(text).title == title


def test_years_of_pages_titles_and_dates_are_not_the_year() -> None:
    found = printed_work(
        "A. Ash. Nests of the year 1850. Journal of Nests, 12(3):1985\u20131996, 2010."
    )
    assert (found.year, found.page) == (2010, "1985")
    assert printed_work("A. Ash. On the nests. Retrieved February 28, 2008.").volume is None


def test_a_doi_that_a_line_breaks_is_mended() -> None:
    assert printed_work("A. Ash. On nests. https: //doi.org/10.1000/ab. 34").doi == "10.1000/ab.34"


TEXT = st.text(string.printable + "\u201c\u201d\u2013\u00e9\u0141\u4e2d", max_size=200)


@given(TEXT | st.sampled_from(sorted(ARTICLES.values())), st.integers(0, 99), TEXT)
def test_anything_is_read_and_no_letter_is_made_up(text: str, cut: int, more: str) -> None:
    broken = text[:cut] + more + text[cut:]
    found = printed_work(broken)
    assert found.title is None or len(found.title.split()) <= LONGEST_TITLE_WORDS
    for said in (found.title, found.venue, found.volume, found.page):
        left = iter(broken)
        assert all(letter in left for letter in (said or "").replace(" ", ""))


@each_row(
    "unit",
    ["A. ", "Ash, ", "Ash A, ", "A-", "(2010", "10.1000/", "\u201c", "In: ", "1, 2 (", "and "],
)
def test_a_long_line_costs_little(unit: str) -> None:
    begun = time.process_time()
    printed_work(unit * (2_000 // len(unit)))
    assert time.process_time() - begun < 1


@each_row("text", CITED)
def test_what_is_printed_without_fields_is_understood(text: str) -> None:
    found = {name: value for name, value in asdict(cited_work(text)).items() if value}
    assert json.loads(json.dumps(found)) == CITED[text]


@given(st.text(max_size=300))
def test_any_text_gives_a_work(text: str) -> None:
    cited_work(text)


@each_row(
    "part", ["Oak O, ", "(2001) ", "A, B. ", "2001;", "a. ", "1(", "2001 ", "A", ". 12, ", "10.1/"]
)
def test_a_long_text_takes_no_longer(part: str) -> None:
    cited_work(part * 200_000)
