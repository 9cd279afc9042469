from pathlib import Path

from recsys.formats.drafts.draft_formats import open_draft
from recsys.records import Manuscript
from tests.rows import each_row

ROOT = Path(__file__).parents[4]

PAPER = Path(__file__).with_name("files").joinpath("paper.tex").read_bytes().decode()
REFS = Path(__file__).with_name("files").joinpath("paper-refs.bib").read_bytes().decode()


def paper(folder: Path, source: str, **files: str) -> Manuscript:
    """Read a draft; `refs_bib="..."` becomes the file refs.bib beside it."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    path = folder / "paper.tex"
    path.write_text(source, encoding="utf-8")
    return open_draft(path).manuscript


def keys(found: Manuscript) -> list[str]:
    return [work.key for work in found.references]


def test_a_paper_is_read_with_what_it_cites(tmp_path: Path) -> None:
    found = paper(tmp_path, PAPER, refs_bib=REFS)
    assert found.title == "Nebula: Mapping dust at 50% cost: A survey"
    assert found.authors == ("Ada Quill", "Björn Østby")
    assert found.abstract == (
        "We map dust with Nebula in O(n log n) time, which is “fast” — naïve methods need "
        "\u03b1≤ 2. It works."
    )
    assert keys(found) == ["intitle", "one", "two", "Three"]
    assert found.references[1].doi == "10.1000/one"
    assert found.notes == ()


def test_the_example_cites_six_works_of_its_bibliography() -> None:
    found = open_draft(ROOT / "examples" / "paper.tex").manuscript
    assert found.title.startswith("MarginNote: ")
    assert found.authors == ("Ilse Verhaegen", "Rafael Quintero-Bräun", "Aoife Ní Dhuibhir")
    assert len((found.abstract or "").split()) > 100
    assert len(found.references) == 6
    assert "garfield1955" not in keys(found)
    assert found.notes == ()


@each_row(
    ("source", "title"),
    [
        (r"\title{Plain}", "Plain"),
        (r"\title {Spaced}", "Spaced"),
        (r"\title[short {]}]{Long}", "Long"),
        (r"\title{}\icmltitle{Second}", "Second"),
        (r"\titlerunning{No}\title{\Large\bfseries Yes}", "Yes"),
        (r"\title{Two\\ lines \\[2pt] long}", "Two lines long"),
        (r"\title{\texorpdfstring{$\alpha$}{alpha} decay}", "alpha decay"),
        (r"\newcommand{\name}{Real}\title{\name{} and \name}", "Real and Real"),
        (r"\def\pair#1#2{#2, #1}\title{\pair{a}{b}}", "b, a"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{\a}\title{\a{} Ends}", "Ends"),
        (r"\renewcommand{\title}[1]{\old{#1}}\title{Kept}", "Kept"),
        (r"\title{Unclosed \emph{brace}", ""),
        (r"\title{Broken \end{x} $y}", "Broken y"),
        (r"\title{See \href{http://x.y}{the page}, Stra\ss e}", "See the page, Straße"),
    ],
)
def test_titles_in_many_forms(source: str, title: str, tmp_path: Path) -> None:
    found = paper(tmp_path, source + r"\begin{abstract}Some words.\end{abstract}")
    assert found.title == title
    assert ("No title was found: give it by --title." in found.notes) == (not title)


@each_row(
    ("source", "abstract"),
    [
        (r"\begin{abstract}One.\end{abstract}", "One."),
        (r"\begin{onecolabstract}One.\end{onecolabstract}", "One."),
        (r"\abstract{One.}", "One."),
        (r"\abstract{A.}{B.}{C.}{D.}{E.}", "A. B. C. D. E."),
        (r"\section*{Abstract} One. \section{Introduction} Two.", "One."),
        (r"\begin{abstract}\end{abstract}\begin{abstract}One.\end{abstract}", "One."),
        (r"\begin{abstract}One.\begin{keywords}no\end{keywords}\end{abstract}", "One."),
        (r"\begin{abstract}One \cite{a,b}, two~\citep[p.~1]{c}.\end{abstract}", "One, two."),
        (r"\begin{abstract}A \rm b \todo{no} \foo c {\bf d}\end{abstract}", "A b c d"),
        (r"\renewcommand{\abstractname}{No}\begin{abstract}One.\end{abstract}", "One."),
    ],
)
def test_abstracts_in_many_forms(source: str, abstract: str, tmp_path: Path) -> None:
    assert paper(tmp_path, r"\title{T}" + source).abstract == abstract


@each_row(
    ("source", "authors"),
    [
        (r"\author{Ada Quill}", ["Ada Quill"]),
        (r"\author{Ada Quill \and Bo Reed}", ["Ada Quill", "Bo Reed"]),
        (r"\author{Ada Quill, Bo Reed, and Cy Stone}", ["Ada Quill", "Bo Reed", "Cy Stone"]),
        (r"\author{Ada Quill\\Univ. of X\And Bo Reed\\Y}", ["Ada Quill", "Bo Reed"]),
        (r"\author{Ada Quill, \\ Bo Reed \\ Univ. of X}", ["Ada Quill", "Bo Reed"]),
        (r"\author[1]{Ada Quill}\author*[2]{\fnm{Bo} \sur{Reed}}", ["Ada Quill", "Bo Reed"]),
        (r"\author{\IEEEauthorblockN{Ada Quill}\IEEEauthorblockA{X}}", ["Ada Quill"]),
        (r"\icmlauthor{Ada Quill}{x}\icmlauthor{Bo Reed}{y}", ["Ada Quill", "Bo Reed"]),
        (r"\author{Ada Quill\inst{1} \and Bo Reed\orcid{00}}", ["Ada Quill", "Bo Reed"]),
        (r"\author{Ada Quill,~\IEEEmembership{Member,~IEEE}}", ["Ada Quill"]),
        (r"\author{Anonymous Author(s)}", []),
        (r"\author{}", []),
    ],
)
def test_authors_in_many_forms(source: str, authors: list[str], tmp_path: Path) -> None:
    assert list(paper(tmp_path, r"\title{T}" + source).authors) == authors


def test_a_piece_of_a_paper_is_read_by_its_first_words(tmp_path: Path) -> None:
    source = r"\section{Methods} We weigh dust \cite{one} with a very fine balance. \cite{two}"
    found = paper(tmp_path, source + r"\bibliography{refs}", refs_bib=REFS)
    assert found.title == ""
    assert found.abstract == "We weigh dust with a very fine balance."
    assert keys(found) == ["one", "two"]
    assert found.notes[0] == "No title was found: give it by --title."
    assert found.notes[1].startswith("No abstract was found; the first 8 words")


def test_a_bibliography_may_be_named_carried_or_typed(tmp_path: Path) -> None:
    source = r"""\title{T}\cite{one,carried,typed}
        \begin{filecontents*}[overwrite]{inner.bib}
        @book{carried, title={A 5\% carried work}}
        \end{filecontents*}
        \addbibresource[location=local]{refs.bib}\bibliography{inner}
        \begin{thebibliography}{9}
        \bibitem{typed} A. Doe. \newblock A work typed by hand. \newblock {\em J. Dust}, 2009.
        \bibitem[Roe(2010)]{uncited} doi:10.1000/uncited
        \end{thebibliography}"""
    found = paper(tmp_path, source, refs_bib=REFS)
    assert keys(found) == ["one", "carried", "typed", "uncited"]
    assert found.references[1].title == "A 5% carried work"
    assert found.references[2].title == "A work typed by hand"
    assert found.references[3].doi == "10.1000/uncited"


def test_a_bbl_beside_the_paper_stands_in_for_a_missing_bibliography(tmp_path: Path) -> None:
    bbl = r"""\begin{thebibliography}{1}
        \bibitem{one} J.~Doe. \newblock First work of dust. \newblock 2001.
        \bibitem{other} J.~Doe. \newblock Something never cited. \newblock 2001.
        \end{thebibliography}"""
    found = paper(tmp_path, r"\title{T}\cite{one}\bibliography{lost}", paper_bbl=bbl)
    assert keys(found) == ["one"]
    assert found.references[0].title == "First work of dust"
    assert found.notes[-1] == ("'lost' was not read: there is no such file in the draft's folder.")


def test_missing_keys_are_named(tmp_path: Path) -> None:
    source = r"\title{T}\cite{one,a,b,c,d,e,f}\bibliography{refs}"
    found = paper(tmp_path, source, refs_bib=REFS)
    assert keys(found) == ["one"]
    said = "6 cited keys not found in the bibliography: 'a', 'b', 'c', 'd', 'e' and 1 more."
    assert said in found.notes


def test_nocite_of_everything_cites_the_whole_bibliography(tmp_path: Path) -> None:
    found = paper(tmp_path, r"\title{T}\cite{two}\nocite{*}\bibliography{refs}", refs_bib=REFS)
    assert keys(found) == ["two", "one", "Three", "intitle", "unused"]


def test_latin_1_is_read_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_bytes("@article{a, title={Café dust}}".encode("latin-1"))
    path = tmp_path / "old.tex"
    path.write_bytes("\\title{Caf\xe9}\\cite{a}\\bibliography{refs}".encode("latin-1"))
    found = open_draft(path).manuscript
    assert found.title == "Café"
    assert found.references[0].title == "Café dust"
    assert [note.split()[-1] for note in found.notes if "UTF-8" in note] == ["(Latin-1)."] * 2


def test_words_in_verb_are_kept(tmp_path: Path) -> None:
    found = paper(
        tmp_path, r"\title{T}\begin{abstract}Call \verb|grep -i| and \verb+%+.\end{abstract}"
    )
    assert found.abstract == "Call grep -i and ."


def test_degrees_are_no_names(tmp_path: Path) -> None:
    found = paper(tmp_path, r"\title{T}\author{Prof. Dr. Ada Quill \and Dr.-Ing. Drew Ost}")
    assert found.authors == ("Ada Quill", "Drew Ost")
