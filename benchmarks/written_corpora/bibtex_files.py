"""Write works as BibTeX: records alone, without what they cite."""

from collections.abc import Iterable
from pathlib import Path

from benchmarks.written_corpora.cited_forms import Cite, last_page
from benchmarks.written_corpora.known_works import KnownWork

_DOIS_OF_FIVE = 3
"""Entries of five that give their DOI."""
_SPECIAL = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": "", "}": "", "\\": ""}


def write_bibtex(works: Iterable[KnownWork], _: Cite, folder: Path) -> None:
    """Write `refs.bib`."""
    with (folder / "refs.bib").open("w", encoding="utf-8") as file:
        for work in works:
            lines = "".join(f"  {name} = {{{text}}},\n" for name, text in _fields(work) if text)
            kind = "article" if work.volume else "inproceedings"
            file.write(f"@{kind}{{work{work.number},\n{lines}}}\n\n")


def _fields(work: KnownWork) -> Iterable[tuple[str, str]]:
    yield "title", escaped(work.title)
    yield "author", " and ".join(escaped(name.inverted) for name in work.authors)
    yield "journal" if work.volume else "booktitle", escaped(work.venue or "")
    yield "year", str(work.year or "")
    yield "volume", work.volume or ""
    yield "pages", f"{work.page}--{last_page(work.page)}" if work.page else ""
    yield "doi", (work.doi or "") if work.number % 5 < _DOIS_OF_FIVE else ""
    yield "abstract", escaped(work.abstract or "")


def escaped(text: str) -> str:
    """Write text so that LaTeX prints it."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)
