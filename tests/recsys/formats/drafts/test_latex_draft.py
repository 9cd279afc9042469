from pathlib import Path

from recsys.formats.drafts.draft_formats import open_draft
from recsys.records import Manuscript

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
    assert found.notes[-1] == ("'lost' was not read: the draft's folder has no such file.")


def test_latin_1_is_read_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_bytes("@article{a, title={Café dust}}".encode("latin-1"))
    path = tmp_path / "old.tex"
    path.write_bytes("\\title{Caf\xe9}\\cite{a}\\bibliography{refs}".encode("latin-1"))
    found = open_draft(path).manuscript
    assert found.title == "Café"
    assert found.references[0].title == "Café dust"
    assert [note.split()[-1] for note in found.notes if "UTF-8" in note] == ["(Latin-1)."] * 2
