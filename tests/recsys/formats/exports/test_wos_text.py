"""Golden: the tags of https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html."""

import io

import pytest

from recsys.formats.exports import tagged_formats, tagged_lines
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.golden_exports import ALL, WOS
from tests.rows import each_row


def items(text: str) -> list[Reference | Problem]:
    return list(tagged_formats.WOS.read(io.StringIO(text, newline="\n")))


def works(text: str) -> list[Reference]:
    return [item for item in items(text) if isinstance(item, Reference)]


def problems(text: str) -> list[str]:
    return [item.text for item in items(text) if isinstance(item, Problem)]


def record(*lines: str) -> Reference:
    (found,) = works("\n".join(("FN x", "VR 1.0", *lines, "ER")))
    return found


def test_an_article_tells_all() -> None:
    first, *_ = works(WOS)
    assert first == Reference(
        key="WOS:000370000000001",
        title="Slow lanterns: how Lumina tarda keeps its light through the polar night",
        authors=("Quillon X. Tarn", "Lena de Vrie", "Karl Mueller-Oss", "Reef Watch Grp"),
        year=2016,
        venue="ANNALS OF INVENTED BIOLOGY",
        abstract="We watched lanterns for nine winters. They dim but never go out. "
        "(C) 2016 Invented Press.",
        doi="10.5555/aib.2016.101",
        kind="article-journal",
        pmid="26900001",
        ids=("wos:000370000000001",),
        volume="12",
        page="101",
        keyphrases=(
            "light organs",
            "polar night",
            "Lumina tarda",
        ),
        labels={
            "type": "Article; Proceedings Paper",
            "fields": ["Marine & Freshwater Biology", "Optics"],
            "keywords_plus": ["cold adaptation", "light-organs", "polar night"],
        },
        cites=first.cites,
    )
    assert [each.authors for each in first.cites] == [
        ("NAT LIGHT COUNC",),
        ("JL Aaker",),
        ("Rika Bosse",),
        ("WMP van der Hout",),
    ]
    assert [each.doi for each in first.cites] == [
        None,
        "10.5555/3151897",
        "10.48550/arxiv.2108.07258",
        "10.5555/s12599-018-0542-4",
    ]
    assert problems(WOS) == []


def test_a_book_and_what_is_not_yet_printed() -> None:
    _, book, early = works(WOS)
    assert (book.kind, book.authors, book.doi) == ("book", ("Folake Oduya",), "10.5555/shade")
    assert (early.year, early.page) == (2023, "116467")


@each_row(
    ("letter", "types", "kind"),
    [
        ("J", "Article", "article-journal"),
        ("J", "Article; Proceedings Paper", "article-journal"),
        ("C", "Proceedings Paper", "paper-conference"),
        ("S", "Article; Proceedings Paper", "paper-conference"),
        ("S", "Article; Book Chapter", "chapter"),
        ("B", "Review; Book Chapter", "chapter"),
        ("B", "Book", "book"),
        ("P", "Patent", "patent"),
        ("J", "Data Set", "dataset"),
        ("Q", "", "document"),
    ],
)
def test_kinds(letter: str, types: str, kind: str) -> None:
    assert record(f"PT {letter}", f"DT {types}", "TI T").kind == kind


def test_a_chapter_does_not_take_the_doi_of_its_book() -> None:
    assert record("PT S", "TI T", "DT Article; Book Chapter", "D2 10.5555/book").doi is None


@each_row(
    ("number", "pmid", "ids"),
    [
        ("WOS:A1977CZ59400001", None, ("wos:A1977CZ59400001",)),
        ("ISI:000070", None, ("wos:000070",)),
        ("MEDLINE:37440639", "37440639", ()),
        ("SCIELO:S2007-74672022", None, ("scielo:S2007-74672022",)),
        ("none", None, ()),
    ],
)
def test_accession_numbers(number: str, pmid: str | None, ids: tuple[str, ...]) -> None:
    found = record("PT J", "TI T", f"UT {number}")
    assert (found.key, found.pmid, found.ids) == (number, pmid, ids)


def test_spellings_of_other_times() -> None:
    found = record("PT J", "AU Yu, M (Yu Min)", "   Zhu, J", "TI T", "PS 94-98", "ID A; B;")
    assert found.authors == ("M Yu", "J Zhu")
    assert (found.page, found.keyphrases) == ("94", ())
    assert found.labels == {"keywords_plus": ["a", "b"]}
    scielo = record("PT J", "X1 In another language", "SO Ride\t", "DE a; b\t")
    assert (scielo.title, scielo.venue) == ("In another language", "Ride")
    assert scielo.keyphrases == ("a", "b")


def test_cited_references_in_one_line_are_parted() -> None:
    found = record("PT J", "TI T", "CR A B, 2000, X, V1, P2; C, DE, 2001, Y, V2; F G, 2002, Z")
    assert [each.year for each in found.cites] == [2000, 2001, 2002]
    title = record("PT J", "TI T", "CR A B, 2000, Genes; and development")
    assert [each.venue for each in title.cites] == ["Genes; and development"]


def test_a_record_without_end_is_kept_and_reported() -> None:
    text = "FN x\nVR 1.0\nPT J\nTI One\n\nPT J\nTI Two\n   of them"
    assert [each.title for each in works(text)] == ["One", "Two of them"]
    assert problems(text) == [
        "line 3: the record has no end (ER).",
        "line 6: the record has no end (ER).",
    ]


def test_a_record_without_beginning_is_kept() -> None:
    assert [each.title for each in works("TI Cut off\nER\nPT J\nTI Two\nER\nEF")] == [
        "Cut off",
        "Two",
    ]


def test_files_appended_to_each_other_are_read_on() -> None:
    text = "\ufeff" + WOS + "\ufeff" + WOS
    assert len(works(text)) == 6
    assert problems(text) == []


def test_lines_outside_of_records_are_counted() -> None:
    assert problems(f"some\n\nnotes\n{WOS}\nmore") == [
        "3 lines outside of records were passed over."
    ]


@each_row("text", ["", "\n", "FN x\nVR 1.0\n", "FN x\nVR 1.0\nEF\n", "ER\nEF"])
def test_a_file_without_records_is_empty(text: str) -> None:
    assert items(text) == []


def test_what_ends_nowhere_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagged_lines, "LONGEST_RECORD", 2_000)
    text = "PT J\nTI T\nAB x\n" + "   y\n" * 1_000 + "DI 10.5555/lost\nER\nPT J\nTI Two\nER\n"
    first, second = works(text)
    assert (first.title, first.doi, second.title) == ("T", None, "Two")
    assert len(first.abstract or "") < 100
    assert problems(text) == ["line 1: the record has no end in sight; what is beyond is left out."]


def test_the_format_is_recognised() -> None:
    assert [tagged_formats.WOS.looks_so(text) for text in ALL] == [True, False, False, False]
    assert tagged_formats.WOS.looks_so("\ufeffFN ISI Export Format\nVR 1.0\nEF")
    assert tagged_formats.WOS.looks_so("PT J\nAU Lee, A\nTI T\n")
    assert not tagged_formats.WOS.looks_so("PT\tAU\tBA\nJ\tLee, A\t\n")
    assert not tagged_formats.WOS.looks_so("PT J is what a paper began with\n")
    assert not tagged_formats.WOS.looks_so("FN alone\n")


def test_authors_on_one_line_are_told_apart() -> None:
    found = record("PT J", "AU Ito, Ken; Moreau, Anne B", "TI Tides")
    assert found.authors == ("Ken Ito", "Anne B Moreau")
