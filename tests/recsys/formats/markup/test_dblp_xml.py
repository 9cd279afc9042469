"""After https://dblp.org/faq/What+do+I+find+in+dblp+xml.html."""

from recsys.formats.markup.dblp_xml import read
from tests.recsys.formats.markup.markup_files import DBLP, told, works
from tests.rows import each_row


def test_a_part_of_the_dump() -> None:
    article, paper, proceedings, preprint, thesis = works(read, DBLP)
    assert told(article) == {
        "key": "journals/jit/AshB04",
        "title": "Sorting H2O in O(n)",
        "authors": ("Ada Ash", "Jürgen Böhm"),
        "year": 2004,
        "venue": "J. Inv. Trees",
        "doi": "10.1234/jit.2004.97",
        "url": "https://doi.org/10.1234/JIT.2004.97",
        "kind": "article-journal",
        "ids": ("dblp:journals/jit/AshB04",),
        "volume": "53",
        "page": "97",
        "labels": {"type": "article"},
    }
    assert told(paper) == {
        "key": "conf/tree/Oak99",
        "title": "Is This a Tree?",
        "authors": ("Olaf Oak",),
        "year": 1999,
        "venue": "TREE",
        "url": "https://example.org/oak99",
        "kind": "paper-conference",
        "ids": ("dblp:conf/tree/Oak99",),
        "page": "12:1",
        "labels": {"type": "inproceedings", "crossref": "conf/tree/1999"},
    }
    assert (proceedings.kind, proceedings.authors) == ("book", ("Edith Editor",))
    assert (preprint.kind, preprint.arxiv) == ("article", "2004.07180")
    assert (thesis.kind, thesis.venue) == ("thesis", "U of Trees")


def test_citations_are_keys_of_other_records() -> None:
    article, paper, *_ = works(read, DBLP)
    assert [cited.ids for cited in article.cites] == [
        ("dblp:conf/tree/Oak99",),
        ("dblp:books/elm/Elm98",),
    ]
    assert article.cites[0].ids == paper.ids


def test_letters_of_latin_1_are_read() -> None:
    (work,) = works(
        read,
        '<?xml version="1.0" encoding="ISO-8859-1"?><dblp><book key="b"><title>Bäume</title>'
        "</book></dblp>".encode("latin-1"),
    )
    assert work.title == "Bäume"


def test_the_page_of_a_person_holds_works() -> None:
    text = (
        '<dblpperson name="Ada Ash"><person key="homepages/a"><author>Ada Ash</author></person>'
        '<r><article key="a"><author>Ada Ash</author><title>Trees.</title></article></r>'
        "</dblpperson>"
    )
    assert [work.title for work in works(read, text)] == ["Trees"]


@each_row(
    ("name", "author"),
    [("Wei Wang 0001", "Wei Wang"), ("Wei Wang", "Wei Wang"), ("Group 42", "Group 42")],
)
def test_numbers_of_people_of_one_name_are_dropped(name: str, author: str) -> None:
    (work,) = works(read, f"<dblp><book><author>{name}</author></book></dblp>")
    assert work.authors == (author,)


def test_home_pages_alone_are_no_works() -> None:
    text = '<dblp><www key="homepages/a"><author>A</author><title>Home Page</title></www></dblp>'
    assert works(read, text) == []
