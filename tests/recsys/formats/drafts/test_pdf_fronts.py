"""Fronts and lists of PDFs as publishers, repositories and word processors print them."""

from dataclasses import replace

from tests.recsys.formats.drafts.printed_draft import ABSTRACT, BODY, TITLE, WHOLE, front, read
from tests.recsys.formats.drafts.small_pdf import Text, down
from tests.rows import each_row

THREE = ("Ada Ash", "Bo Birch", "Cy Cedar")
PLACE = "Department of Botany, University of Trees, Oslo"
BYLINES: dict[str, tuple[list[tuple[str, float]], tuple[str, ...]]] = {
    "raised numbers": ([("Ada Ash^{1,*}, Bo Birch^{1,2}, Cy Cedar^{2}", 12), (PLACE, 9)], THREE),
    "marks alone divide": ([("Ada Ash^{1} Bo Birch^{2} Cy Cedar^{1,2}", 12)], THREE),
    "raised letters": ([("Ada Ash^{a,b}, Bo Birch^{b} and Cy Cedar^{a}", 12)], THREE),
    "letters of the line": ([("Ada Ash a, Bo Birch a,b, Cy Cedar b", 12)], THREE),
    "an address of ORCID": (
        [("Ada Ash https://orcid.org/0000-0002-1825-0097,", 12), ("Bo Birch and Cy Cedar", 12)],
        THREE,
    ),
    "a number of ORCID": (
        [("Ada Ash (0000-0002-1825-0097), Bo Birch ORCID: 0000-0001-5109-3700", 12),
         ("Cy Cedar [0000-0002-1694-233X]", 12)],
        THREE,
    ),
    "a mark of ORCID": ([("Ada Ash^{iD}, Bo Birch^{iD} & Cy Cedar^{iD}", 12)], THREE),
    "a name over two lines": (
        [("Ada Ash, Bo Birch, Cy Cedar, Dee", 12), ("Date, Eva Elm, Flo Fir, Gus", 12),
         ("Gum and Hal Hazel", 12)],
        (*THREE, "Dee Date", "Eva Elm", "Flo Fir", "Gus Gum", "Hal Hazel"),
    ),
    "and on the next line": ([("Ada Ash, Bo Birch,", 12), ("and Cy Cedar", 12)], THREE),
    "places between": (
        [("Ada Ash", 12), (PLACE, 9), ("ada@trees.example", 9), ("Bo Birch", 12), (PLACE, 9),
         ("Cy Cedar", 12), ("Open Orchard, Riga", 9)],
        THREE,
    ),
    "places in the same print": (
        [("Ada Ash", 10), (PLACE, 10), ("ada@trees.example", 10), ("Bo Birch", 10),
         ("University of Fruit", 10), ("bo@trees.example", 10), ("Cy Cedar", 10),
         ("Orchard College", 10)],
        THREE,
    ),
    "places on the line": (
        [("Ada Ash, University of Trees, Norway", 11), ("Bo Birch, Institute of Fruit, Latvia", 11),
         ("Cy Cedar, Orchard College, Canada", 11)],
        THREE,
    ),
    "places in brackets": (
        [("Ada Ash (University of Trees), Bo Birch (Institute of Fruit)", 12),
         ("and Cy Cedar (Orchard College)", 12)],
        THREE,
    ),
    "degrees": ([("Dr. Ada Ash, PhD^{1}, Bo Birch, MSc & Prof. Cy Cedar", 12)], THREE),
    "a word before": ([("By Ada Ash, Bo Birch; Cy Cedar", 12)], THREE),
    "a journal above": ([("Forest Letters, 12(3), 2010", 10), ("Ada Ash and Bo Birch", 12)],
                        ("Ada Ash", "Bo Birch")),
    "a label above": ([("Research Article", 10), ("Open Access", 10), ("Ada Ash", 12)],
                      ("Ada Ash",)),
    "names of many forms": (
        [("J.-P. Ash, Maria Jo\u00e3o da Silva Pereira, Zo\u00eb O'Neill-Elm,", 12),
         ("Ana de la Cruz y Soto, Bo Birch Jr., C. D. E. van der Fir", 12)],
        ("J.-P. Ash", "Maria Jo\u00e3o da Silva Pereira", "Zo\u00eb O'Neill-Elm",
         "Ana de la Cruz y Soto", "Bo Birch Jr", "C. D. E. van der Fir"),
    ),
    "two languages": ([("Ada Ash, Lu\u00eds de Sousa Lima Fir Birch y Cy Cedar", 12)],
                      ("Ada Ash", "Lu\u00eds de Sousa Lima Fir Birch", "Cy Cedar")),
    "a place of one word": ([("Ada Ash, Bo Birch", 12), ("Oslo", 12)], ("Ada Ash", "Bo Birch")),
}  # fmt: skip


def printed(byline: list[tuple[str, float]], title: str = TITLE) -> list[Text]:
    lines, y = [Text(title, 72, 760, 18)], 735.0
    for text, size in byline:
        lines.append(Text(text, 72, y, size))
        y -= 1.3 * size
    abstract = [Text("Abstract", 200, y - 20, 12), *down(ABSTRACT, y=y - 40)]
    return [*lines, *abstract, *down(BODY, y=y - 120)]


@each_row("name", BYLINES)
def test_authors_are_read_off_bylines(name: str) -> None:
    byline, authors = BYLINES[name]
    found = read(printed(byline))
    assert (found.title, found.authors, found.abstract) == (TITLE, authors, WHOLE)
    assert not found.notes


def test_lines_of_a_byline_that_are_no_names_are_counted() -> None:
    lines = [("Ada Ash, Bo Birch,", 12.0), ("the band of the beetles, Cid", 12.0)]
    found = read(printed(lines))
    assert found.authors == ("Ada Ash", "Bo Birch")
    assert found.notes == ("2 authors read; 1 line below the title hold none that was understood.",)
    found = read(printed([("the band of the beetles", 12)]))
    assert (found.authors, found.notes) == (
        (),
        ("No author could be read; 1 line below the title hold none that was understood.",),
    )


COVERS = {
    "a repository": ["This is a repository copy of", TITLE, "White Rose Research Online"],
    "a publisher": [TITLE, "To cite this article: A. Ash (2010)", "Full Terms & Conditions of use"],
    "a network": ["See discussions, stats, and author profiles for this publication at:", TITLE],
    "an archive": ["HAL Id: hal-00000001", "Submitted on 3 May 2020"],
}


@each_row("name", COVERS)
def test_a_cover_page_is_not_the_paper(name: str) -> None:
    large = [Text("University of Trees Repository", 72, 760, 24)]
    cover = [*large, *down([*COVERS[name], "Some words on rights. " * 4], y=700, size=11)]
    found = read(cover, front())
    assert (found.title, found.authors, found.abstract) == (TITLE, ("Ada Ash", "Bo Birch"), WHOLE)
    guess = "The title is a guess: give --title if it is wrong."
    # Where the cover names the title, two pages agree on it.
    assert found.notes == (() if TITLE in COVERS[name] else (guess,))
    assert guess in read(cover).notes


JOURNALS = [
    ("Journal of Beetle Studies", "12 May 2010"),
    ("The International Journal of Open Nests", "Research"),
    ("Review of Nests in Distributed Gardens", "Volume 18, Number 5"),
    ("Open Nests", "ISSN: 1234-5679"),
]


@each_row(("journal", "below"), JOURNALS)
def test_a_journal_is_no_title(journal: str, below: str) -> None:
    head = [Text(journal, 72, 775, 24), Text(below, 72, 755, 10)]
    found = read([*head, *front()])
    assert (found.title, found.authors) == (TITLE, ("Ada Ash", "Bo Birch"))
    assert not found.notes
    page = front()[1:]
    found = read([*head, *page])
    assert "The title is a guess: give --title if it is wrong." in found.notes


ENTRIES = [
    "Ash, A. (2010). How beetles find nests. Journal of Nests, 5(2), 1-10.",
    "Birch, B. (2012). Honey under gravel. Journal of Nests, 7(1), 3-12.",
    "Cedar, C. (2014). Engines of clouds. Journal of Nests, 9(4), 8-15.",
]
TITLES = ["How beetles find nests", "Honey under gravel", "Engines of clouds"]
STATEMENTS = [
    "Conflict of Interest Statement: The authors declare none (2017).",
    "Funding: This work was supported by Ash, B. (2012) and the Nest Fund.",
    "Author Contributions: Ash, A. planned, Birch, B. wrote.",
    "Publisher's note Springer Nature remains neutral with regard to maps.",
    "Open Access This article is licensed under a Creative Commons licence.",
    "Copyright (c) 2017 Ash and Birch. This is an open-access article.",
    "\u00a9 2020 by the authors. Licensee Nest, Oslo, Norway.",
    "Disclaimer/Publisher's Note: The statements are those of the authors.",
    "Received: 3 May 2010. Accepted: 4 June 2010.",
    "Cite this article as: Ash, A. (2017). Nests. Journal of Nests, 1, 2.",
    "Acknowledgements",
    "Data Availability",
]


@each_row(
    ("statement", "marks"),
    [
        *((statement, ("", "", "")) for statement in STATEMENTS),
        (STATEMENTS[0], ("[1] ", "[2] ", "[3] ")),
        (STATEMENTS[1], ("1. ", "2. ", "3. ")),
    ],
)
def test_statements_behind_the_list_are_no_entries(statement: str, marks: tuple[str, ...]) -> None:
    entries = [mark + entry for mark, entry in zip(marks, ENTRIES, strict=True)]
    after = [statement, "Ash, A. and Birch, B. are named again in 2017 without an end."]
    lines = [Text("References", 72, 740, 12), *down(entries, y=720), *down(after, y=640)]
    found = read(front(), lines)
    assert [work.title for work in found.references] == TITLES


def test_what_only_looks_like_a_statement_is_of_an_entry() -> None:
    broken = ["Ash, A. (2010). The nests of beetles and their", "Funding: how beetles find nests."]
    broken += ["Birch, B. (2012). Honey under gravel and", "Copyright (c) 2010 of nests. Nests, 2."]
    indented = [Text(line, 72 + 18 * (at % 2), 720 - 12 * at) for at, line in enumerate(broken)]
    entries = [Text("References", 72, 740, 12), *indented, *down(ENTRIES[2:], y=672)]
    assert [work.title for work in read(front(), entries).references] == [
        "The nests of beetles and their Funding: how beetles find nests",
        "Honey under gravel and Copyright (c) 2010 of nests",
        TITLES[2],
    ]


def test_a_list_goes_on_behind_what_stands_at_the_foot_of_a_column() -> None:
    foot = Text("\u00a9 2020 by the authors. Licensee Nest, Oslo, Norway.", 72, 60, 10)
    first = [Text("References", 72, 740, 12), Text(ENTRIES[0], 72, 720), foot]
    found = read(front(), first, down(ENTRIES[1:], y=740))
    assert [work.title for work in found.references] == TITLES
    numbered = [f"[{place}] {entry}" for place, entry in enumerate(ENTRIES, start=1)]
    first = [Text("References", 72, 740, 12), Text(numbered[0], 72, 720), foot]
    found = read(front(), [*first, *down(numbered[1:], x=330, y=740)])
    assert [work.title for work in found.references] == TITLES


@each_row(
    "contents",
    [
        ["Contents", "1 Introduction 3", "2 Nests 5", "References 9"],
        ["Contents", "1 Introduction . . . . . . 3", "References . . . . . . 9", "Appendix . . 11"],
        ["Table of Contents", "Introduction", "Nests", "References", "Appendix", "Index"],
    ],
)
def test_references_in_a_table_of_contents_are_no_list(contents: list[str]) -> None:
    listed = [Text("Literature of the beetles", 72, 740, 12), *down(BODY, y=700)]
    marked = down([f"[{place}] {each}" for place, each in enumerate(ENTRIES, start=1)], y=500)
    found = read(front(), down(contents), [*listed, *marked])
    assert [work.title for work in found.references] == TITLES
    assert read(front(), down(contents)).references == ()


def test_a_running_head_is_not_the_beginning_of_the_list() -> None:
    head = Text("References", 290, 770, 9)
    first = [Text("References", 72, 740, 14), *down(ENTRIES[:1], y=720)]
    second = [head, Text(ENTRIES[1], 72, 740)]
    found = read(front(), first, second, [head, Text(ENTRIES[2], 72, 740)])
    assert [work.title for work in found.references] == TITLES


def test_words_that_are_only_set_apart_are_words() -> None:
    pages = [front(), [Text("References", 72, 740, 12), *down(ENTRIES, y=720)]]
    found = read(*([replace(line, spaced=False) for line in page] for page in pages))
    assert (found.title, found.authors, found.abstract) == (TITLE, ("Ada Ash", "Bo Birch"), WHOLE)
    assert [work.title for work in found.references] == TITLES


@each_row(
    ("lines", "doi"),
    [
        (["doi:10.5555/s11367-019-01640-8. Ash and", "Elm."], "10.5555/s11367-019-01640-8"),
        (["doi:10.5555/", "s11368-020-01641. Birch wrote it."], "10.5555/s11368-020-01641"),
        (["doi:10.5555/j.trd.2021.103159.", "Clark says more."], "10.5555/j.trd.2021.103159"),
        (["doi:10.5555/s11367\u00ad019\u00ad01640\u00ad8."], "10.5555/s11367-019-01640-8"),
        (["doi:10.5555/s11367\u00ad", "019\u00ad01640."], "10.5555/s11367-019-01640"),
        (["https://doi.org/10.5555/bark-", "oak.2010.1"], "10.5555/bark-oak.2010.1"),
        (["https://doi.org/10.5555/j.trd.", "2021.103159"], "10.5555/j.trd.2021.103159"),
    ],
)  # fmt: skip
def test_a_doi_ends_where_it_does(lines: list[str], doi: str) -> None:
    indented = [Text(line, 90, 708 - 12 * place) for place, line in enumerate(lines)]
    others = down(ENTRIES[1:], y=708 - 12 * len(lines))
    page = [Text("References", 72, 740, 12), Text(ENTRIES[0], 72, 720), *indented, *others]
    assert read(front(), page).references[0].doi == doi
