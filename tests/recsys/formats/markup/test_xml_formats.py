"""Works as each XML format tells them, and files that are cut, changed, or something else.

The formats are described in `markup_files`.
"""

import io
import json
import random
from html import escape

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup.dblp_xml import DBLP
from recsys.formats.markup.endnote_xml import ENDNOTE
from recsys.formats.markup.jats_xml import JATS
from recsys.formats.markup.pubmed_xml import PUBMED
from recsys.formats.markup.xml_stream import XmlFormat
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.markup.markup_files import FILES, text_of, told, works
from tests.rows import each_row

FACTS = json.loads(FILES.joinpath("facts.json").read_text(encoding="utf-8"))
"""Small texts; a field of their work, and the works that theirs cites.

Bookends writes the address of a record of PubMed in an export, https://www.sonnysoftware.com;
SciELO's journals give a cited work twice, https://gist.github.com/gustavofonseca/704dccdb7332285ed324.
"""
FORMATS = {DBLP: "dblp", ENDNOTE: "endnote", JATS: "jats", PUBMED: "pubmed"}


def read(text: str) -> list[Reference]:
    (form,) = (form for form in FORMATS if form.looks_so(text))
    return works(form.read, text)


def endnote(inside: str) -> str:
    return f"<xml><records><record>{inside}</record></records></xml>"


@each_row(("text", "field", "value"), FACTS["told"])
def test_what_a_work_is(text: str, field: str, value: object) -> None:
    (work,) = read(text)
    assert json.loads(json.dumps(told(work).get(field))) == value


@each_row(("text", "cited"), FACTS["cited"])
def test_what_a_work_cites(text: str, cited: list[dict[str, object]]) -> None:
    (work,) = read(text)
    assert json.loads(json.dumps([*map(told, work.cites)])) == cited


_PERSON = (
    '<dblpperson name="Ada Ash"><person key="homepages/a"><author>Ada Ash</author></person>'
    '<r><article key="a"><author>Ada Ash</author><title>Trees.</title></article></r></dblpperson>'
)
_LATIN = (
    '<?xml version="1.0" encoding="ISO-8859-1"?><dblp><book key="b"><title>Bäume</title></book>'
    "</dblp>"
)
_HOME = '<dblp><www key="homepages/a"><author>A</author><title>Home Page</title></www></dblp>'


@each_row(
    ("form", "text", "titles"),
    [
        (DBLP, _LATIN.encode("latin-1"), ["Bäume"]),
        (DBLP, _PERSON, ["Trees"]),
        (DBLP, _HOME, []),
        (JATS, "<article><title>A book in another XML</title></article>", []),
    ],
)
def test_which_works_a_file_holds(form: XmlFormat, text: str | bytes, titles: list[str]) -> None:
    assert [work.title for work in works(form.read, text)] == titles


def test_several_articles_and_answers_in_one_file_are_read_one_by_one() -> None:
    article = text_of("jats")[text_of("jats").index("<article ") :]
    (alone,) = works(JATS.read, text_of("jats"))
    assert works(JATS.read, f"<pmc-articleset>{article}{article}</pmc-articleset>") == [alone] * 2
    harvested = f"<OAI-PMH><record><metadata>{article}</metadata></record></OAI-PMH>"
    assert works(JATS.read, harvested) == [alone]
    assert works(PUBMED.read, text_of("pubmed") * 2) == works(PUBMED.read, text_of("pubmed")) * 2


WORDS = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Sm", "Po")), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_the_words_of_a_title_are_kept_in_any_style(words: list[str]) -> None:
    # What looks like mark-up within text is taken away elsewhere, and is not meant here.
    plain = [word.replace("<", "").replace("&", "") or "x" for word in words]
    styled = " ".join(f'<style face="bold">{escape(word)}</style>' for word in plain)
    (work,) = works(ENDNOTE.read, endnote(f"<titles><title>{styled}</title></titles>"))
    assert work.title == " ".join(plain)


@each_row(("form", "name"), FORMATS.items())
def test_documented_works_are_read_with_what_they_cite(form: XmlFormat, name: str) -> None:
    expected = json.loads(FILES.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    found = works(form.read, text_of(name))
    shown = [
        told(work) | ({"cites": [*map(told, work.cites)]} if work.cites else {}) for work in found
    ]
    assert json.loads(json.dumps(shown)) == expected
    assert works(form.read, text_of(name).replace("\n", "\r\n")) == found


@each_row(("form", "name"), FORMATS.items())
def test_a_file_is_known_by_its_beginning_and_by_one_format(form: XmlFormat, name: str) -> None:
    text = text_of(name)
    for beginning in (text, text[: len(text) // 2], "\ufeff" + text, text.replace("\n", "\r\n")):
        assert [each for each in FORMATS if each.looks_so(beginning)] == [form]


@each_row(
    ("text", "known"),
    [
        ("", []),
        ("TY  - JOUR\nER  - \n", []),
        ("@article{a, title={<article><front>}}", []),
        ('{"title": "<xml><records>"}', []),
        ("FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\n", []),
        ("PMID- 1\nTI  - <PubmedArticleSet>\n", []),
        ("<!DOCTYPE html><html><body><article><front></front></article></body></html>", []),
        ("<article><para>DocBook</para></article>", []),
        ("<xml><data/></xml>", []),
        ("<records><record/></records>", []),
        ('<?xml version="1.0"?><feed><entry/></feed>', []),
        ("<collection><record><leader/></record></collection>", []),
        ('<?xml version="1.0"?><xml><records></records></xml>', [ENDNOTE]),
        ("<PubmedArticleSet></PubmedArticleSet>", [PUBMED]),
        ('<!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp></dblp>', [DBLP]),
    ],
)
def test_a_header_alone_is_known_and_other_files_are_not(text: str, known: list[XmlFormat]) -> None:
    assert [form for form in FORMATS if form.looks_so(text)] == known
    assert all(works(form.read, text) == [] for form in known)


@each_row("part", ["<", "<a", "<!--", "<?", "<a ", "</a>", "<!DOCTYPE ", "<article "])
def test_looking_at_a_long_beginning_takes_no_longer(part: str) -> None:
    for form in FORMATS:
        form.looks_so(part * (100_000 // len(part)))
        form.looks_so("<article>" + part * (100_000 // len(part)))


@each_row(("form", "name"), FORMATS.items())
def test_a_file_cut_anywhere_gives_its_first_works(form: XmlFormat, name: str) -> None:
    raw = text_of(name).encode()
    whole = list(form.read(io.BytesIO(raw)))
    for end in range(0, len(raw), 97):
        found = list(form.read(io.BytesIO(raw[:end])))
        problems = [each for each in found if isinstance(each, Problem)]
        assert found[: len(found) - len(problems)] == whole[: len(found) - len(problems)]
        assert len(problems) == (1 if end else 0)


@each_row(("form", "name"), FORMATS.items())
def test_elements_in_any_order_and_place_do_no_harm(form: XmlFormat, name: str) -> None:
    """Element names are kept and their nesting is not: a reader may rely on no schema."""
    rng = random.Random(7)
    names = sorted(set(text_of(name).replace("/", " ").replace(">", " ").split("<")))
    tags = sorted({name.split()[0] for name in names if name.split() and name[0].isalpha()})
    for _ in range(100):
        stack: list[str] = []
        parts: list[str] = []
        for _ in range(60):
            if stack and rng.random() < 0.45:
                parts.append(f"</{stack.pop()}>")
            else:
                stack.append(rng.choice(tags))
                said = rng.choice(["", " ", "2001", "Oak O. A.", "10.1234/x"])
                parts.append(f"<{stack[-1]}>{said}")
        parts += [f"</{tag}>" for tag in reversed(stack)]
        found = list(form.read(io.BytesIO(f"<all>{''.join(parts)}</all>".encode())))
        assert all(isinstance(each, Reference) for each in found)
