from recsys.formats.exports.table_reading import looks_so
from recsys.formats.references.reference_formats import parse_bibliography as read
from recsys.records import Reference


def test_a_table_of_this_program_is_read() -> None:
    text = (
        "\ufeffid,title,authors,year,venue,doi,url\r\n"
        'p1,"\'=T, a title",Ann Lee; Bo \\; Li \\\\,2020,J,10.1234/AB,https://a.org\r\n'
    )
    assert read(text, "x.csv").references == (
        Reference(
            title="=T, a title",
            authors=("Ann Lee", "Bo ; Li \\"),
            year=2020,
            venue="J",
            id="p1",
            doi="10.1234/ab",
            url="https://a.org",
        ),
    )


def test_tables_of_other_programs_are_read() -> None:
    zotero = 'Key,Item Type,Publication Year,Author,Title\nAB,book,2019,"Lee, Ann; Li, Bo",T\n'
    (found,) = read(zotero, "x.csv").references
    assert (found.title, found.year, found.authors) == ("T", 2019, ("Ann Lee", "Bo Li"))
    (found,) = read("Title;Source title;Link\nT;J;https://a.org\n", "x.csv").references
    assert (found.title, found.venue, found.url) == ("T", "J", "https://a.org")
    (found,) = read("DOI\tTitle\n10.1234/x\tT\n", "x.tsv").references
    assert (found.doi, found.title) == ("10.1234/x", "T")


def test_rows_may_be_short_long_or_empty() -> None:
    found = read("title,year\nA\n\n,2020\nB,2021,more\n", "x.csv")
    assert [(each.title, each.year) for each in found.references] == [("A", None), ("B", 2021)]


def test_a_header_is_told_from_prose() -> None:
    assert looks_so("id,title\n")
    assert looks_so("Author;Title\n")
    assert not looks_so("We, the authors, say\n")
    assert not looks_so("title\n")
    assert not looks_so("")


def test_a_cell_of_a_megabyte_is_reported() -> None:
    found = read(f"title,doi\n{'x' * 1_000_000},\nT,\n", "x.csv")
    assert [each.title for each in found.references] == ["T"]
    assert found.problems[0].startswith("line 2: field larger than field limit")
