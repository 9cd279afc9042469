"""What OpenAlex calls paratext, and NLM errata.

https://developers.openalex.org/api-reference/work-types
https://www.nlm.nih.gov/bsd/policy/errata.html
"""

import time

from hypothesis import given
from hypothesis import strategies as st

from recsys.store.front_matter import is_front_matter
from tests.rows import each_row


@each_row(
    "title",
    [
        "Preface", "PREFACE", "[Front cover]", "Front Matter", "Inside back cover", "Masthead",
        "Editorial Board", "International Advisory Board", "Editorial", "Guest Editor's Note",
        "Editorial, Vol. 12 (3)", "Author Index", "Author Index, Volume 12, 1999", "Index",
        "Subject index to volumes 1-20", "Table of Contents", "Contents", "Contents of Volume XII",
        "List of Reviewers 2004", "Reviewers", "Conference Committee", "Program Committee",
        "Call for Papers", "Announcements", "Book Reviews", "In This Issue", "About the Authors",
        "Information for Authors", "Acknowledgment of Reviewers", "Copyright Notice", "Title Page",
        "Message from the General Chairs", "Welcome Message from the Program Co-Chairs",
        "Foreword by the Editor-in-Chief", "Preface to the special issue",
        "Erratum", "Errata", "Corrigendum", "Corrections",
        "Erratum to: On ice", 'Correction to "On ice"', "Correction: On ice", "Correction to: On ice",  # noqa: E501
        "Corrigendum to On ice [Ice 3 (2001) 1-9]", "Publisher Correction: On ice",
        "Retraction: On ice", "Retracted: On ice", "RETRACTED ARTICLE: On ice",
        "Retraction notice to On ice", "Notice of Retraction: On ice", "Expression of Concern: Ice",
        "On ice (vol 12, pg 345, 2001)", "On ice (Retracted article. See vol. 3, pg. 1, 2001)",
        "On ice: Erratum", "On ice [Corrigendum]", "Addendum to 'On ice'",
        "Vorwort", "Inhaltsverzeichnis", "Autorenverzeichnis 1999", "Berichtigung", "Éditorial",
        "Préface", "Table des matières", "Presentación", "Índice de autores", "Fe de erratas",
        "Prefácio", "Prefazione", "Предисловие", "От редакции", "前言", "目录", "編集後記", "정오표",  # noqa: E501
    ],
)  # fmt: skip
def test_front_matter_is_recognised(title: str) -> None:
    assert is_front_matter(title)


@each_row(
    "title",
    [
        "", "On ice", "Index of refraction of ice", "A preface to logic", "Preface to Plato",
        "Index structures for tables", "Contents and evaluation of a dictionary",
        "Editorial policies of journals", "The editorial board as a network",
        "Correction of speckle in radar images", "Corrections to scaling", "Correcting ice",
        "Correction to the Born approximation", "Retraction of the ice sheet", "Retractions in PubMed",  # noqa: E501
        "Errata in early printed books", "Message passing in graphs", "Messages from the sea",
        "Welcome to the jungle", "Introduction to the special issue on the web as corpus",
        "Introduction", "Letter to the Editor", "Announcements of dividends and prices",
        "Call for papers as a genre", "Cover crops of the north", "Covers of manifolds",
        "Reviewers and their bias", "Program committees are networks", "Author index terms",
        "Tables of contents in books", "Guidelines for ice", "Book review helpfulness",
        "Notes on ice", "Foreword and backward chaining", "Obituary notices of old papers",
        "Contributors to melting", "Inside front cover crops", "Volume rendering", "冰川研究", "前言研究",  # noqa: E501
    ],
)  # fmt: skip
def test_papers_are_papers(title: str) -> None:
    assert not is_front_matter(title)


@each_row("kind", ["paratext", "erratum", "retraction", "published-erratum"])
def test_a_type_tells(kind: str) -> None:
    assert is_front_matter("On ice", ("article", kind))


@given(st.text(max_size=60), st.sampled_from(["", "Preface ", "Erratum ", "Message from the "]))
def test_any_title_is_told(title: str, head: str) -> None:
    assert is_front_matter(head + title) in (True, False)


def test_long_titles_cost_no_squares() -> None:
    begun = time.process_time()
    for part in ("Index ", "Message from the ", "Erratum (", "(vol 1, pg ", "correction "):
        is_front_matter(part * 50_000)
    assert time.process_time() - begun < 10
