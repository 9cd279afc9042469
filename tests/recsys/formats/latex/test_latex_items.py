from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_cited import listed_works
from recsys.records import Reference
from tests.rows import each_row

BIBLATEX = Path(__file__).with_name("files").joinpath("biblatex.bbl").read_bytes().decode()


def item(text: str) -> Reference:
    (work,) = listed_works(rf"\begin{{thebibliography}}{{9}}\bibitem{text}\end{{thebibliography}}x")
    return work


@each_row(
    ("text", "title", "year"),
    [
        (
            r"{k} A. Quill. \newblock Fine dust maps. \newblock {\em J.}, 2020.",
            "Fine dust maps",
            2020,
        ),
        (
            r"[Q(2020)]{k} Q. \newblock Fine \emph{dust} maps. \newblock 2020.",
            "Fine dust maps",
            2020,
        ),
        (r"[{Q [sic]}]{k} Q, ``Fine dust maps,'' \emph{J.}, 2020.", "Fine dust maps", 2020),
        (r"{k} Q. \newblock \showarticletitle{Fine dust maps}. x", "Fine dust maps", None),
        (r"{k} \bibinfo{author}{Q}, \bibinfo{title}{Fine dust maps}.", "Fine dust maps", None),
        (r"{k} A. Quill, Mapping fine dust, J. Dust 3 (2020) 1999.", "Mapping fine dust", 2020),
        (r"{k} A. Quill. \newblock Dust. \newblock Springer, 2020.", None, 2020),
        (r"{k} Quill, A. 2020, Mapping fine dust, \mnras, 3, 19", "Mapping fine dust", 2020),
        (r"{k} Quill, A., \& Ash, B.\ 2020, \apjl, 3, 19", None, 2020),
        (r"{k} A. Quill. \newblock In press. \newblock arXiv:2001.01234, 2020.", None, 2020),
    ],
)
def test_titles_and_years_are_told_only_where_they_are_safe(
    text: str, title: str | None, year: int | None
) -> None:
    work = item(text)
    assert (work.key, work.title, work.year) == ("k", title, year)


def test_a_work_without_title_keeps_what_finds_it() -> None:
    work = item(r"{k} Quill, A., \& Ash, B.\ 2020, \apj, 3, 19")
    place = ("The Astrophysical Journal", "3", "19")
    assert (work.authors, work.venue, work.volume, work.page) == (("A. Quill",), *place)


def test_identifiers_are_found_in_text_and_addresses() -> None:
    assert item(r"{k} \href{https://doi.org/10.1000/AB\_C}{J. Dust}").doi == "10.1000/ab_c"
    assert item(r"{k} A. Quill. \url{http://arxiv.org/abs/2004.07180v2}").arxiv == "2004.07180"
    assert item(r"{k} \doi{10.1000/xyz}.").doi == "10.1000/xyz"
    assert item(r"{k} \url{https://aclanthology.org/P18-1001}").acl == "P18-1001"


def test_biblatex_entries_are_read_by_their_fields() -> None:
    quill, other = listed_works(BIBLATEX)
    assert quill == Reference(
        key="quill2020",
        title="Mapping Dust & Ash",
        authors=("Ada Quill", "Björn Østby"),
        year=2020,
        venue="Journal of Dust",
        doi="10.1000/dust_1",
        arxiv="2004.07180",
    )
    assert other == Reference(key="other", title="Other")


@given(st.text("\\{}[]`'.%$ab\n", max_size=80))
def test_any_item_is_a_work_or_none(text: str) -> None:
    assert len(listed_works("\\bibitem{k}" + text)) == 1
    assert len(listed_works("\\bibitem" + text + "\\entry{k}{x}" + text + "\\endentry")) <= 2
