"""After https://dblp.org/faq/What+do+I+find+in+dblp+xml.html."""

from recsys.formats.markup.dblp_xml import read
from tests.recsys.formats.markup.markup_files import works
from tests.rows import each_row


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
