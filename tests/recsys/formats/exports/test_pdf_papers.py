"""PDFs of papers: what they say of themselves, what they cite, and what is wrong with them.

The stamp is that of https://info.arxiv.org/help/submit_tex.html; the entries of a file's own
information are those of https://pypdf.readthedocs.io/en/stable/user/metadata.html.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recsys.errors import MissingExtraError
from recsys.formats.exports.pdf_papers import read
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.drafts.small_pdf import Text, down, write_objects, write_pdf
from tests.rows import each_row

ENCRYPTED = Path(__file__).parents[1] / "drafts" / "files" / "encrypted.pdf"

TITLE = "Nests of Beetles in Northern Crete"
ABSTRACT = ["Beetles build nests, and we look for them in all of the gardens that there are."] * 6
LISTED = [
    "[1] A. Ash and B. Birch. How beetles find nests. Journal of Nests, 12(3):4\u20139, 2010.",
    '[2] D. Date, "On honey," in Proc. Honey, 2012, pp. 3-7, doi: 10.1000/honey.',
    "[3] E. Elm. Engines of clouds. arXiv preprint arXiv:2004.07180, 2020.",
]


def page(*more: Text) -> list[Text]:
    return [
        Text(TITLE, 100, 720, 18),
        Text("Ada Ash and Bo Birch", 150, 690, 12),
        *more,
        Text("Abstract", 200, 660, 12),
        *down(ABSTRACT, y=640),
        Text("1 Introduction", 72, 560, 14),
        *down(ABSTRACT, y=540),
    ]


LIST = [Text("References", 72, 740, 12), *down(LISTED)]


def items(tmp_path: Path, raw: bytes) -> list[Reference | Problem]:
    path = tmp_path / "nests.pdf"
    path.write_bytes(raw)
    return list(read(path))


def work(tmp_path: Path, *pages: list[Text], facts: dict[str, str] | None = None) -> Reference:
    found = items(tmp_path, write_pdf(pages, facts=facts))[0]
    assert isinstance(found, Reference)
    return found


def test_a_paper_and_what_it_cites_are_read(tmp_path: Path) -> None:
    found = items(tmp_path, write_pdf([page(Text("May 2021", 150, 675, 12)), LIST]))
    assert found == [
        Reference(
            key="nests.pdf",
            title=TITLE,
            authors=("Ada Ash", "Bo Birch"),
            year=2021,
            abstract=" ".join(ABSTRACT),
            cites=(
                Reference(key="1", title="How beetles find nests", authors=("A. Ash",), year=2010,
                          venue="Journal of Nests", volume="12", page="4", others=True),
                Reference(key="2", title="On honey", authors=("D. Date",), year=2012,
                          venue="Proc. Honey", doi="10.1000/honey", page="3", others=True),
                Reference(key="3", title="Engines of clouds", authors=("E. Elm",), year=2020,
                          venue="arXiv preprint", arxiv="2004.07180", others=True),
            ),
        )
    ]  # fmt: skip


@each_row(
    ("line", "year"),
    [
        ("\u00a9 2019 The Authors", 2019),
        ("Copyright held by the owner, 2018.", 2018),
        ("Received 3 May 2016; accepted 4 June 2017; published online 2 March 2018", 2018),
        ("Journal of Nests, Vol. 3, No. 4, May 2015", 2015),
        ("(Dated: May 3, 2014)", 2014),
    ],
)
def test_the_year_is_read_off_the_first_page(tmp_path: Path, line: str, year: int) -> None:
    found = work(tmp_path, page(Text(line, 72, 675, 8)), LIST)
    assert (found.year, found.labels) == (year, {})


def test_the_year_of_the_file_is_a_guess(tmp_path: Path) -> None:
    found = work(tmp_path, page(), LIST, facts={"CreationDate": "D:20110203040506Z"})
    assert (found.year, dict(found.labels)) == (2011, {"guessed": ["year"]})
    later = work(
        tmp_path, page(Text("\u00a9 2033 Nobody", 72, 675, 8)), facts={"CreationDate": "D:2011"}
    )
    assert later.year == 2011
    assert work(tmp_path, page(), LIST).year is None


@each_row("line", ["Journal of Nests 12, 34 (2010)", "Journal of Nests 12 (2010) 34-56"])
def test_its_own_place_is_read_where_all_of_it_is_printed(tmp_path: Path, line: str) -> None:
    found = work(tmp_path, [Text(line, 72, 770, 8), *page()], LIST)
    assert (found.venue, found.volume, found.page) == ("Journal of Nests", "12", "34")
    assert found.year == 2010


def test_the_stamp_of_arxiv_counts(tmp_path: Path) -> None:
    stamp = b"BT /F 20 Tf 0 1 -1 0 30 200 Tm (arXiv:1904.07180v2 [cs.DL] 15 May 2019) Tj ET"
    written = [
        f"BT /F {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({line.text}) Tj ET".encode()
        for line in page(Text("(c) 2021 Somebody", 72, 675, 8))
    ]
    found = items(tmp_path, write_objects([b"\n".join([stamp, *written])]))[0]
    assert isinstance(found, Reference)
    assert (found.arxiv, found.year, found.title) == ("1904.07180", 2019, TITLE)


def test_only_its_own_doi_is_the_papers(tmp_path: Path) -> None:
    own = Text("https://doi.org/10.1000/own.1", 72, 50, 8)
    assert work(tmp_path, [*page(), own], LIST).doi == "10.1000/own.1"
    two = Text("https://doi.org/10.1000/cited.2", 72, 40, 8)
    assert work(tmp_path, [*page(), own, two], LIST).doi is None
    assert work(tmp_path, [*page(), own, two], facts={"doi": "10.1000/A"}).doi == "10.1000/a"
    listed = [Text("References", 72, 400, 12), Text(LISTED[1], 72, 380)]
    assert work(tmp_path, [*page(), *listed]).doi is None


def test_a_list_without_a_heading_is_found_by_its_numbers(tmp_path: Path) -> None:
    assert len(work(tmp_path, page(), down(LISTED)).cites) == 3


def test_running_heads_and_numbers_of_pages_are_left_out(tmp_path: Path) -> None:
    head = [Text("A. Ash: Nests of beetles 12", 72, 770), Text("12", 300, 30)]
    split = "On honey and"
    first = [
        *head,
        Text("References", 72, 740, 12),
        *down(LISTED[:1]),
        Text(f"[2] D. Date. {split}", y=600),
    ]
    second = [head[0], Text("gravel. Bees, 2012.", y=740), Text(LISTED[2], y=700), head[1]]
    titles = [each.title for each in work(tmp_path, [*page(), *head], first, second).cites]
    assert titles == ["How beetles find nests", "On honey and gravel", "Engines of clouds"]


def test_a_paper_without_a_list_says_so(tmp_path: Path) -> None:
    _, problem = items(tmp_path, write_pdf([page()]))
    assert problem == Problem(
        "nests.pdf: no list of references was found.", "no list of references"
    )


def test_references_that_are_not_understood_are_counted(tmp_path: Path) -> None:
    found, problem = items(tmp_path, write_pdf([page(), [*LIST, Text("[4] Ibid.", 72, 600)]]))
    assert isinstance(found, Reference) and len(found.cites) == 3
    assert isinstance(problem, Problem)
    assert problem.text == "nests.pdf: 1 of 4 references could not be understood."


@each_row(
    ("raw", "reason"),
    [
        (b"", "unreadable PDF"),
        (b"title: no PDF", "unreadable PDF"),
        (b"%PDF-1.7\n%%EOF", "unreadable PDF"),
        (write_pdf([]), "no pages"),
        (write_pdf([[]]), "no text"),
        (write_pdf([down(["012 345 678"] * 5)]), "text unreadable"),
    ],
)
def test_what_cannot_be_read_is_a_problem(tmp_path: Path, raw: bytes, reason: str) -> None:
    (problem,) = items(tmp_path, raw)
    assert isinstance(problem, Problem)
    assert problem.reason == reason
    assert "nests.pdf" in problem.text


def test_an_encrypted_file_and_one_that_is_gone_are_problems(tmp_path: Path) -> None:
    (problem,) = items(tmp_path, ENCRYPTED.read_bytes())
    assert isinstance(problem, Problem) and problem.reason == "encrypted"
    (gone,) = read(tmp_path / "gone.pdf")
    assert isinstance(gone, Problem) and "gone.pdf cannot be read" in gone.text


def test_without_its_package_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"citerec\[pdf\]"):
        items(tmp_path, write_pdf([page()]))


MODEL = write_pdf([page(Text("\u00a9 2019 The Authors", 72, 675, 8)), LIST], facts={"Title": "x"})


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(st.integers(0, len(MODEL)), st.integers(0, 30), st.binary(max_size=8)),
        min_size=1,
        max_size=5,
    )
)
def test_damaged_files_give_works_or_problems(
    tmp_path: Path, changes: list[tuple[int, int, bytes]]
) -> None:
    raw = MODEL
    for place, length, put in changes:
        raw = raw[:place] + put + raw[place + length :]
    assert items(tmp_path, raw)
