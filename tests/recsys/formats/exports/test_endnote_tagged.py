"""Golden: "Creating a Tagged EndNote Import File" of EndNote's user guide.

https://kb.howsci.com/importing-references/creating-a-tagged-endnote-import-file
"""

import io

from recsys.formats.exports.tagged_formats import ENDNOTE
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.golden_exports import ALL, ENW
from tests.rows import each_row


def works(text: str) -> list[Reference]:
    items = list(ENDNOTE.read(io.StringIO(text, newline="\n")))
    assert not [item for item in items if isinstance(item, Problem)]
    return [item for item in items if isinstance(item, Reference)]


def record(*lines: str) -> Reference:
    (found,) = works("\n".join(("%0 Journal Article", *lines)))
    return found


def test_records_tell_all() -> None:
    assert works(ENW) == [
        Reference(
            key="tarn2016",
            title="Slow lanterns",
            authors=("Quillon X. Tarn", "Lena de Vrie"),
            year=2016,
            venue="Annals of Invented Biology",
            abstract="We watched lanterns for nine winters. They dim but never go out.",
            doi="10.5555/aib.2016.101",
            url="https://example.org/lanterns",
            kind="article-journal",
            ids=("wos:000370000000001",),
            volume="12",
            page="101",
            keyphrases=("light organs", "polar night"),
        ),
        Reference(
            title="Shade in proceedings",
            authors=("Folake Oduya",),
            year=1999,
            venue="Proceedings of Shade 1999",
            kind="paper-conference",
            page="7",
        ),
    ]


def test_records_of_refer_have_no_type() -> None:
    found = works("%T Corn\n%A Newman, W. H.\n%D 1891\n\n%A Lee\n%T Two\n")
    assert [(each.title, each.kind) for each in found] == [
        ("Corn", "document"),
        ("Two", "document"),
    ]


def test_an_empty_line_parts_records_only_where_another_begins() -> None:
    found = works("%0 Book\n%T One\n%X a\n\nb\n\n%U https://example.org/\n\n%T Two\n")
    assert [each.title for each in found] == ["One", "Two"]
    assert (found[0].abstract, found[0].url) == ("a b", "https://example.org/")


def test_records_without_empty_lines_between_are_parted() -> None:
    assert [each.title for each in works("%0 Book\n%T One\n%0 Book\n%T Two")] == ["One", "Two"]


def test_two_types_belong_to_one_record() -> None:
    assert [each.kind for each in works("%0 Serial\n%0 Thesis\n%T T\n")] == ["thesis"]


def test_several_authors_stand_in_one_line() -> None:
    assert record("%T T", "%A 张明远;李四;", "%Q Reef Group").authors == (
        "张明远",
        "李四",
        "Reef Group",
    )


@each_row(
    ("lines", "doi", "pmid"),
    [
        (("%R https://doi.org/10.5555/x",), "10.5555/x", None),
        (("%M 10.5555/x",), "10.5555/x", None),
        (("%M 123", "%~ PubMed"), None, "123"),
        (("%M 123", "%~ Other"), None, None),
        (("%M MEDLINE:123",), None, "123"),
    ],
)
def test_identifiers(lines: tuple[str, ...], doi: str | None, pmid: str | None) -> None:
    found = record("%T T", *lines)
    assert (found.doi, found.pmid) == (doi, pmid)


def test_a_count_of_pages_is_no_page() -> None:
    assert record("%T T", "%P 173 s.").page is None


def test_a_file_without_records_is_empty() -> None:
    assert works("") == works("\n\n") == []


def test_the_format_is_recognised() -> None:
    assert [ENDNOTE.looks_so(text) for text in ALL] == [False, False, True, False]
    assert ENDNOTE.looks_so("\n%A Lee\n%T Title\n")
    for text in ("%PDF-1.7\n", "%!PS\n", "% Encoding: UTF-8\n@article{a}", "%A alone\n", "%%\n"):
        assert not ENDNOTE.looks_so(text)


TYPE_AFTER_TITLE = """%T Tides in harbours
%0 Journal Article
%A Ito, Ken
%D 2021


%T Table of contents
%D 2022


%T Sand
%0 Journal Article
%A Moreau, Anne
"""


def test_repositories_write_the_type_after_the_title() -> None:
    """As on https://bepress.com/reference_guide_dc/citation-export/."""
    found = [
        item for item in ENDNOTE.read(io.StringIO(TYPE_AFTER_TITLE)) if isinstance(item, Reference)
    ]
    assert [(item.title, item.authors, item.year) for item in found] == [
        ("Tides in harbours", ("Ken Ito",), 2021),
        ("Table of contents", (), 2022),
        ("Sand", ("Anne Moreau",), None),
    ]
