from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.errors import InputError
from recsys.formats.exports.table_reading import READ_IN_PART, REFUSED, looks_so, read
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.exported_tables import EXPORTS, Export
from tests.rows import each_row


def lines_of(text: str) -> Iterator[str]:
    return iter(text.splitlines(keepends=True))


def read_text(text: str) -> list[Reference | Problem]:
    return list(read(iter(line + "\n" for line in text.split("\n"))))


@each_row("export", EXPORTS.values())
def test_the_tables_of_a_program_are_recognised_and_read(export: Export) -> None:
    assert looks_so(export.text)
    assert tuple(read(lines_of(export.text))) == export.works


def test_a_header_alone_or_nothing_at_all_holds_no_works() -> None:
    assert read_text('"id","title","authors","year","venue","doi","url"') == []
    assert read_text("PT\tAU\tTI\tUT") == []
    assert read_text("") == read_text("\n \n\n") == read_text("sep=;") == []


def test_rows_are_counted_that_are_not_understood() -> None:
    work, surplus, other, empty = read_text('title,year\nA,2020\n,\nB,2021,"more, words",\n,x\n')
    assert (work, other) == (Reference(title="A", year=2020), Reference(title="B", year=2021))
    assert surplus == Problem("line 4: 4 cells below 2 headers.", READ_IN_PART, 4, kept=True)
    assert empty == Reference()


SCOPUS = "Authors,Title,Year,Volume,DOI,Abstract,Source,EID\n"
SURE = Reference(
    title="Bark", authors=("A. Ash",), year=2001, volume="3", doi="10.5555/a", ids=("eid:2-s2.0-1",)
)
LONGER = Problem("line 2: 9 cells below 8 headers.", READ_IN_PART, 2, kept=True)
REFUSED_ROW = replace(LONGER, reason=REFUSED, kept=False)


@each_row(
    ("row", "expected"),
    [
        # Years, DOIs and ids tell which cell was split, and it becomes whole again.
        ("Ash A.,Bark,2001,3,10.5555/a,Plain,Scopus,2-s2.0-1", [replace(SURE, abstract="Plain")]),
        (
            "Ash A.,Bark,in 2001,3,10.5555/a,Plain,Scopus,2-s2.0-1,,",
            [replace(SURE, abstract="Plain")],
        ),
        ("Ash A.,Bark,x,2001,3,10.5555/a,Plain,Scopus,2-s2.0-1", [REFUSED_ROW]),
        ("Ash, A.,Bark,2001,3,10.5555/a,Plain,Scopus,2-s2.0-1", [REFUSED_ROW]),
        # In one of two columns: neither is read.
        ("Ash A.,Bark,2001,3,10.5555/a,One,two,Scopus,2-s2.0-1", [LONGER, SURE]),
        ("Ash A.,Bark,2001,3,10.5555/a,,One,Scopus,2-s2.0-1", [LONGER, SURE]),
        # Behind the last column.
        ("Ash A.,Bark,2001,3,10.5555/a,,Scopus,2-s2.0-1,more", [LONGER, SURE]),
        # Nothing tells.
        ("Ash A.,Bark,,3,,One,two,Scopus,", [REFUSED_ROW]),
        # A blank cell at the end is none too many, unless the others are not where they should be.
        ("Ash A.,Bark,2001,3,,One,two,Scopus,", [LONGER, replace(SURE, doi=None, ids=())]),
        ("Ash A.,Bark,in press,3,10.5555/a,,,,", [replace(SURE, year=None, ids=())]),
    ],
)
def test_a_row_longer_than_its_header_is_never_read_shifted(
    row: str, expected: list[Reference | Problem]
) -> None:
    assert list(read(iter([SCOPUS, row + "\n"]))) == expected


def test_a_split_cell_between_two_that_tell_is_whole_again() -> None:
    text = "Title,DOI,Abstract,EID\nBark,10.5555/a,One, and two,2-s2.0-1\n"
    problem, work = read(lines_of(text))
    assert isinstance(problem, Problem) and isinstance(work, Reference)
    assert (work.title, work.abstract, work.ids) == ("Bark", "One, and two", ("eid:2-s2.0-1",))


def test_works_of_openalex_are_named_alike_where_they_are_cited() -> None:
    """Whatever separates them; ids of others stay as they are."""
    first, second = "https://openalex.org/W7", "https://api.openalex.org/works/w12"
    cells = (
        f"{first}|{second}",
        f"{first}; {second}",
        f'"{first}, {second}"',
        f"\"['{first}', '{second}']\"",
    )
    for cell in cells:
        (work,) = read(lines_of(f"id,title,referenced_works\n{first},Bark,{cell}\n"))
        assert isinstance(work, Reference)
        assert (work.id, work.cited_ids) == ("W7", ("W7", "W12"))
    (work,) = read(lines_of("id,title,references\na,Bark,b1; w2\n"))
    assert isinstance(work, Reference) and work.cited_ids == ("b1", "w2")


@each_row(
    "text",
    [
        "sep=;\ntitle;year\nA, B;2020",
        '"sep=\t"\ntitle\tyear\nA, B\t2020',
        'title,year\n"A, B",2020',
        '"Title"\t"Publication Year"\n"A, B"\t2020',
        "Titel;Jahr\nA, B;2020",
        "TITLE_;_Year\nA, B;2020.0",
        "题名;年\nA, B;2020-05-01",
        "Exported by me; on Monday\n\ntitle;year\nA, B;2020",
        "title;year;title\nA, B;2020;C",
        "\ufefftitle;year\nA, B;2020",
    ],
)
def test_delimiters_and_headers_are_found(text: str) -> None:
    assert looks_so(text)
    assert read_text(text) == [Reference(title="A, B", year=2020)]


def test_columns_can_be_named() -> None:
    text = "Exported,today\nTI,PY,Who,Refs\nMaps,2020,Lee A.,10.1234/a\n"
    columns = {"title": "TI", "year": "py", "authors": "Who", "references": "Refs"}
    assert list(read(lines_of(text), columns)) == [
        Reference(title="Maps", year=2020, authors=("A. Lee",), cites=(Reference(doi="10.1234/a"),))
    ]
    known = read(lines_of("name;year\nMaps;2020"), {"title": "name"})
    assert list(known) == [Reference(title="Maps", year=2020)]


def test_named_columns_must_be_there() -> None:
    with pytest.raises(InputError, match=r"cannot name 'titel'\. Did you mean 'title'"):
        read(iter(()), {"titel": "TI"})
    with pytest.raises(InputError, match=r"no column 'Tilte'\. Did you mean 'Title'") as caught:
        list(read(lines_of("Title,Year\nA,2020\n"), {"title": "Tilte"}))
    assert caught.value.hint == "Its columns are: 'Title', 'Year'."
    assert list(read(iter(()), {"title": "TI"})) == []


def test_a_table_without_titles_is_refused() -> None:
    with pytest.raises(InputError, match="its columns are: 'Name', 'Score', 'DOI'") as caught:
        read_text("Name,Score,DOI\nA,2,10.1234/x\n")
    assert "--columns title=TI,year=PY" in caught.value.hint
    with pytest.raises(InputError, match="No column"):
        read_text("x" * 1_000_000)


def test_a_list_of_identifiers_is_read() -> None:
    assert read_text("DOI,year\n10.1234/X,2020\n") == [Reference(doi="10.1234/x", year=2020)]
    assert read_text("pmid\n123\n") == [Reference(pmid="123")]


@each_row(
    "text",
    [
        "We, the authors, say\n",
        "title\n",
        "",
        '{"id": "x", "title": "y", "year": 2020}\n',
        '["title", "year"]\n',
        "@article{x,\n title = {y},\n year = 2020\n}\n",
        "TY  - JOUR\nTI  - Title, year\nER  - \n",
        "PMID- 123\nTI  - Title\n",
        "%0 Journal Article\n%T Title\n",
        "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nTI Title\nAU Lee, A\nER\nEF\n",
        "<xml>\ntitle,year\n",
        "10.1234/x\n10.1234/y\n",
        "Lee, A. (2020). Title, year, and journal.\n",
        "\\documentclass{article}\n\\title{x}\n",
    ],
)
def test_other_formats_are_no_tables(text: str) -> None:
    assert not looks_so(text)


WORD = st.text("abcXYZ019 é\",;\n'-.", max_size=12).map(str.strip)


@given(st.lists(st.tuples(WORD, WORD, WORD), max_size=5), st.sampled_from(",;\t"))
def test_no_word_of_a_known_column_is_lost(
    table: list[tuple[str, str, str]], delimiter: str
) -> None:
    def quoted(cells: tuple[str, ...]) -> str:
        return delimiter.join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"

    heads = ("title", "abstract", "journal")
    text = "".join(map(quoted, (heads, *table)))
    works = [work for work in read(lines_of(text)) if isinstance(work, Reference)]
    said = [row for row in table if any(row)]
    assert len(works) == len(said)
    for work, row in zip(works, said, strict=True):
        told = [work.title or "", work.abstract or "", work.venue or ""]
        plain = [" ".join(cell.removeprefix("'").split()) for cell in row]
        assert [" ".join(each.removeprefix("'").split()) for each in told] == plain


def test_memory_and_time_do_not_grow_with_the_file() -> None:
    def endless() -> Iterator[str]:
        yield "title,year\n"
        while True:
            yield "A,2020\n"

    found = read(endless())
    assert [next(found) for _ in range(1_000)][-1] == Reference(title="A", year=2020)


def test_a_very_long_line_is_left_out() -> None:
    long = "x" * 8_000_000
    found = read_text(f"title,year\nA,2020\n{long},1\nB,2021\n")
    assert [each.line for each in found if isinstance(each, Problem)] == [3]
    assert [each.title for each in found if isinstance(each, Reference)] == ["A", "B"]
    assert not looks_so(long[:100_000])
    assert not looks_so("," * 100_000)


def test_columns_that_are_not_known_are_counted_where_they_say_something() -> None:
    unread = Counter[str]()
    lines = lines_of("Title,Year,Mood,Shelf\nDust,2019,grey,\nMoss,2020,green,\n")
    assert list(read(lines, None, unread)) == [
        Reference(title="Dust", year=2019),
        Reference(title="Moss", year=2020),
    ]
    assert unread == {"Mood": 2}
