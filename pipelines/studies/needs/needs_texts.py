"""Read a folder of open full texts, from which it is learned where authors cite.

Each folder inside it is a source or a field, and every file there is one text, in JATS (.xml,
.nxml) or in any format of a draft: LaTeX, R Sweave (.Rnw, its code chunks left out), Markdown.
Packages that hold such texts, and in which those of the documented figures were found:

- PyPI: allofplos 0.11.1 (122 articles of the PLOS journals, CC BY), emcee 3.1.6, exoplanet 0.6.0,
  george 0.4.4 (articles beside the code);
- Debian: r-cran-{brms, clue, coin, colorspace, fitdistrplus, flexmix, gstat, kernlab, lme4,
  metafor, partykit, plm, pscl, psychotree, sandwich, seriation, spacetime, strucchange, vcd, zoo}
  of Debian 12 (vignettes, many of them articles of the Journal of Statistical Software).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from recsys.errors import InputError, RecsysError
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.files import read_bytes
from recsys.passages import Body, Sentence
from recsys.pipelines.studies.needs.needs_jats import read_articles

FEWEST = 20
"""Sentences that a text has at least; shorter ones are notes and announcements."""
_JATS = frozenset({".xml", ".nxml"})
_SWEAVE = frozenset({".rnw", ".snw"})
_CHUNK = re.compile(rb"^<<.*?>>=.*?^@[^\n]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(rb"\\Sexpr\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class FullText:
    """A text with its sentences in order. source: the folder that it was found in."""

    name: str
    source: str
    sentences: tuple[Sentence, ...]


def read_texts(folder: Path) -> tuple[list[FullText], list[str]]:
    """Read the texts of a folder, and a line on each file that cannot be read.

    What another text said already, word for word, is no sentence of a later one.

    Raises:
        InputError: there is no such folder, or no text in it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder.", "Give a folder with a folder for each field.")
    texts, problems, said = list[FullText](), list[str](), set[str]()
    for path in sorted(path for path in folder.glob("*/*") if path.is_file()):
        try:
            bodies = list(_bodies(path))
        except RecsysError as error:
            problems.append(f"{path.name}: {error}")
            continue
        for body in bodies:
            sentences = tuple(s for s in map(_on_one_line, body.sentences) if s.text not in said)
            said.update(sentence.text for sentence in sentences)
            if len(sentences) >= FEWEST:
                texts.append(FullText(path.stem, path.parent.name, sentences))
    if not texts:
        raise InputError(
            f"{folder} holds no text of {FEWEST} sentences.", "Give full texts: JATS, LaTeX, ...."
        )
    return texts, problems


def _bodies(path: Path) -> Iterator[Body]:
    raw = read_bytes(path)
    suffix = path.suffix.lower()
    if suffix in _JATS:
        yield from read_articles(raw)
    elif suffix in _SWEAVE:
        plain = _INLINE.sub(b"1", _CHUNK.sub(b"", raw.replace(b"\r\n", b"\n")))
        yield parse_draft(plain, path.with_suffix(".tex")).body
    else:
        yield parse_draft(raw, path).body


def _on_one_line(sentence: Sentence) -> Sentence:
    """Give a sentence without line breaks, which the places of its marks survive."""
    return replace(sentence, text=re.sub(r"\s", " ", sentence.text))
