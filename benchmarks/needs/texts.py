"""Read open full texts, from which it is learned where authors cite, and choose examples.

Each folder inside the one that is given is a field, and every file there is one text, in JATS
(.xml, .nxml) or in any format of a draft: LaTeX, R Sweave (.Rnw, without its code), Markdown. A
file `sentences.jsonl.gz` holds many articles, one a line: {"citing", "sentences": [[section,
paragraph, text, cited ids, [[start, end, id or null], ...]], ...]}; some of them are drawn.
Packages that hold such texts, and in which those of the documented figures were found:

- PyPI: allofplos 0.11.1 (122 articles of the PLOS journals, CC BY), emcee 3.1.6, exoplanet 0.6.0,
  george 0.4.4 (articles beside the code);
- Debian: r-cran-{brms, clue, coin, colorspace, fitdistrplus, flexmix, gstat, kernlab, lme4,
  metafor, partykit, plm, pscl, psychotree, sandwich, seriation, spacetime, strucchange, vcd, zoo}
  of Debian 12 (vignettes, many of them articles of the Journal of Statistical Software).

A citation that is taken out may leave a hole ("as shown by , bees"), and a model would learn to see
holes. So of the citing sentences only those count whose marks stood in brackets of their own behind
a word that asks for nothing more; all others are left out, and so is every sentence, citing or not,
that looks as if something were missing.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, RecsysError
from recsys.formats.bodies.running_text import sentence_spans
from recsys.formats.drafts.draft_formats import parse_draft
from recsys.formats.files import read_bytes
from recsys.formats.markup.xml_stream import Layout, Record, records, text_of
from recsys.local.citation_worthiness import is_long_enough, is_own
from recsys.records import Body, Mark, Sentence

ARTICLES = "sentences.jsonl.gz"

FEWEST = 20
"""Sentences that a text has at least; shorter ones are notes and announcements."""
_CHUNK = re.compile(rb"^<<.*?>>=.*?^@[^\n]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(rb"\\Sexpr\{[^{}]*\}")

_LAYOUT = Layout(frozenset({"article"}), frozenset({"front", "sub-article", "response"}))
_NO_TEXT = frozenset(
    "fig fig-group table-wrap table-wrap-group disp-formula disp-formula-group caption table label "
    "supplementary-material media graphic boxed-text code preformat fn object-id ref-list "
    "def-list list title tex-math".split()
)
_HERE = "\ufdd0"
"""What stands for a citation while a paragraph is cut: a character that no text holds."""
_SEE = r"(?:(?:see|also|reviewed|review|reviews|for|in|by|but|and|cf\.|e\.g\.|i\.e\.)[,:]?\s+)*"
_MARKS = re.compile(
    rf"(?:\s*[\[(]\s*{_SEE}{_HERE}(?:[\s,;\u2010-\u2015-]|{_HERE}|and\s|references therein)*[\])]"
    rf"(?:\s*[,;\u2010-\u2015-]?(?=\s*\[{_HERE}))?)+"
    rf"|\s*{_HERE}(?:[\s,;\u2010-\u2015-]*{_HERE})*"
)

_RAISED = re.compile(r"\d[\d,\u2010-\u2015-]*")
_OPENS = re.compile(r"[(\[,;\u2013-]\s*\Z")
_IN_BRACKETS = re.compile(
    r"\A(?:[\[(]|\\(?:citep|parencite|autocite|footcite|supercite|smartcite|cite)\b\*?)"
)
_ASKS_FOR_MORE = re.compile(
    r"(?:\b(?:by|in|of|see|also|from|to|and|with|than|as|e\.g\.,?|i\.e\.,?|cf\.?|on|at|via|or|for|"
    r"the|a|an|refs?\.?|references?|reviewed|eqs?\.?|that|which|through|after|like|between|"
    r"both|per|into|using|follow(?:s|ing)?|is|are|was|were|et al\.?)|[(\[,;:/=-])\s*\Z",
    re.IGNORECASE,
)
_FOLLOWS_WELL = re.compile(r"\s*(?:[.,;:?!)\]\u2014\u2013]|\Z|\s(?!\s)[a-z(])")
_HOLE = re.compile(
    r"\(\s*(?:see|e\.g\.|i\.e\.|cf\.|also|and|[,;:.\s])*\)|\[[\s,;]*\]|[,;(\[]\s*[,;.)\]]"
    r"|\s[,;.:)\]](?:\s|\Z)|\s\s"
    r"|\b(?:by|in|of|see|from|to|with|and|the|e\.g\.|cf\.)\s*[,;.)](?:\s|\Z)"
)
_NAMES_AUTHORS = re.compile(
    r"\bet\.? al\b|\b(?:and|&) (?:colleagues|co-?workers|others)\b"
    r"|\b[A-Z][\w'\u2019-]+,? \(?(?:1[6-9]|20)\d\d[a-z]?\b"
    r"|\b[A-Z][\w'\u2019-]+ (?:and|&) [A-Z][\w'\u2019-]+,? (?:\(|(?:1[6-9]|20)\d\d|(?:show|prop|"
    r"find|found|report|suggest|argu|demonstrat|descri|develop|introduc|us))"
    r"|\b(?:refs?\.|references?) \d"
)
_WHOLE = re.compile(r"\A[\W_]*[A-Z\d].*[.?!:][\"'\u201d\u2019)]?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FullText:
    """The sentences of a text in order, and those of them that a model may learn from.

    source: the folder that it was found in. rows: (n,) int64, which sentences are examples. cites:
    (n,) bool.
    """

    name: str
    source: str
    sentences: tuple[Sentence, ...]
    rows: NDArray[np.int64]
    cites: NDArray[np.bool_]


def read_texts(folder: Path, articles: int) -> tuple[list[FullText], list[str]]:
    """Read the texts of a folder, and a line on each file that cannot be read.

    What another text said already, word for word, is no sentence of a later one.

    Args:
        folder: with a folder for each field.
        articles: how many are drawn of a file that holds many.

    Raises:
        InputError: there is no such folder, or no text in it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder.", "Give a folder with a folder for each field.")
    texts, problems, said = list[FullText](), list[str](), set[str]()
    for path in sorted(path for path in folder.glob("*/*") if path.is_file()):
        try:
            bodies = list(_bodies(path, articles))
        except RecsysError as error:
            problems.append(f"{path.name}: {error}")
            continue
        for name, body in bodies:
            # On one line; the places of marks survive that.
            lines = (replace(s, text=re.sub(r"\s", " ", s.text)) for s in body.sentences)
            sentences = [line for line in lines if line.text not in said]
            said.update(sentence.text for sentence in sentences)
            if len(sentences) >= FEWEST:
                texts.append(full_text(name, path.parent.name, sentences))
    if not texts:
        raise InputError(
            f"{folder} holds no text of {FEWEST} sentences.", "Give full texts: JATS, LaTeX, ...."
        )
    return texts, problems


def _bodies(path: Path, articles: int) -> Iterator[tuple[str, Body]]:
    """Yield the name and the body of each text of a file."""
    if path.name == ARTICLES:
        yield from _drawn_articles(path, articles)
        return
    raw, suffix = read_bytes(path), path.suffix.lower()
    if suffix in (".xml", ".nxml"):
        bodies = list(read_articles(raw))
    elif suffix in (".rnw", ".snw"):
        plain = _INLINE.sub(b"1", _CHUNK.sub(b"", raw.replace(b"\r\n", b"\n")))
        bodies = [parse_draft(plain, path.with_suffix(".tex")).body]
    else:
        bodies = [parse_draft(raw, path).body]
    yield from ((path.stem, body) for body in bodies)


def _drawn_articles(path: Path, articles: int) -> Iterator[tuple[str, Body]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        every = lines.readlines()
    for number in np.sort(np.random.default_rng(0).permutation(len(every))[:articles]):
        article, sentences = json.loads(every[number]), list[Sentence]()
        for paragraph, group in groupby(article["sentences"], key=lambda sentence: sentence[1]):
            cut = list(group)
            pieces = [piece for _, _, text, _, marks in cut for piece in _parted(text, marks)]
            sentences += _sentences(pieces, cut[0][0], paragraph)
        yield article["citing"], Body(tuple(sentences))


def _parted(text: str, marks: Sequence[tuple[int, int, object]]) -> list[str | tuple[str, ...]]:
    """Part a sentence at its marks, the first of those that overlap, and put a space before it.

    A number that nothing opens was raised: brackets go around it, as around those of JATS.
    """
    pieces, at = list[str | tuple[str, ...]](), 0
    for start, end, _ in sorted(marks, key=lambda mark: mark[:2]):
        if start >= at:
            before, key = text[at:start], (text[start:end],)
            raised = _RAISED.fullmatch(key[0]) and not _OPENS.search(before)
            pieces += [before, "[", key, "]"] if raised else [before, key]
            at = end
    return [" ", *pieces, text[at:]]


def full_text(name: str, source: str, sentences: Sequence[Sentence]) -> FullText:
    """Choose the sentences of a text that tell of citing without telling by a hole."""
    rows = [i for i, each in enumerate(sentences) if reads_whole(each) and not is_own(each.text)]
    cites = [bool(sentences[i].marks) for i in rows]
    numbers, labels = np.array(rows, np.int64), np.array(cites, np.bool_)
    return FullText(name, source, tuple(sentences), numbers, labels)


def reads_whole(sentence: Sentence) -> bool:
    """Whether a sentence reads as if its author had cited nothing there, and named nobody."""
    text = sentence.text
    if not _WHOLE.match(text) or _HOLE.search(text) or _NAMES_AUTHORS.search(text):
        return False
    return is_long_enough(text) and all(
        not mark.gap
        and _IN_BRACKETS.match(mark.printed)
        and not _ASKS_FOR_MORE.search(text[: mark.at])
        and _FOLLOWS_WELL.match(text[mark.at :])
        for mark in sentence.marks
    )


def read_articles(raw: bytes) -> Iterator[Body]:
    """Read the body of each article of a file of JATS; a broken one ends the file.

    Drafts are not written in JATS, so this is a reader for training only.
    """
    for found in records(BytesIO(raw), _LAYOUT):
        body = found.element.find("body") if isinstance(found, Record) else None
        if body is not None:
            sentences = list[Sentence]()
            paragraphs = ((child, paragraph) for child in body for paragraph in _running(child))
            for number, (child, paragraph) in enumerate(paragraphs):
                section = text_of(child.find("title")) or ""
                sentences += _sentences(list(_inside(paragraph)), section, number)
            yield Body(tuple(sentences))


def _sentences(
    pieces: Sequence[str | tuple[str, ...]], section: str, paragraph: int
) -> Iterator[Sentence]:
    """Cut a paragraph into sentences after its citations were taken out."""
    text, marks = _without_marks(pieces)
    for start, end in sentence_spans(text):
        inside = (mark for mark in marks if start < mark.at <= end)
        placed = tuple(replace(mark, at=mark.at - start) for mark in inside)
        yield Sentence(text[start:end], placed, section, paragraph)


def _running(element: Element) -> Iterator[Element]:
    """Yield the paragraphs at or inside an element, lists' too, but none of a figure or a note."""
    if element.tag == "p":
        yield element
    elif element.tag in ("sec", "list", "list-item", "disp-quote"):
        for child in element:
            yield from _running(child)


def _inside(element: Element) -> Iterator[str | tuple[str, ...]]:
    """Yield the texts of a paragraph, and in their places the keys of what is cited."""
    yield element.text or ""
    for child in element:
        yield from _child(child)
        yield child.tail or ""


def _child(child: Element) -> list[str | tuple[str, ...]]:
    if child.tag == "xref" and child.get("ref-type") == "bibr":
        keys = tuple((child.get("rid") or "").split()) or ("?",)
        bracketed = child.find("sup") is not None or (text_of(child) or "")[:1] in ("[", "(")
        return ["[", keys, "]"] if bracketed else [keys]
    if child.tag in ("inline-formula", "math"):
        return ["x"]  # A letter reads well in most places.
    if child.tag in _NO_TEXT:
        return []
    inner = list(_inside(child))
    # Raised numbers are the brackets of other journals.
    raised = child.tag == "sup" and any(isinstance(piece, tuple) for piece in inner)
    return ["[", *inner, "]"] if raised else inner


def _without_marks(pieces: Sequence[str | tuple[str, ...]]) -> tuple[str, list[Mark]]:
    """Take the citations out of a paragraph's text, on one line."""
    keys = iter([piece for piece in pieces if isinstance(piece, tuple)])
    text = "".join(piece if isinstance(piece, str) else _HERE for piece in pieces)
    text = re.sub(r"\s+", " ", text)
    left, marks, at, done = list[str](), list[Mark](), 0, 0
    for match in _MARKS.finditer(text):
        left.append(text[done : match.start()])
        at, done = at + len(left[-1]), match.end()
        named = tuple(key for _ in range(match[0].count(_HERE)) for key in next(keys))
        marks.append(Mark(at, named, printed=match[0].strip().replace(_HERE, "*")))
    return "".join([*left, text[done:]]), marks
