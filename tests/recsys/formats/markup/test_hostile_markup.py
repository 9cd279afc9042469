"""Documented files are read whole; whatever is done to a file, its readers answer."""

import io
import json
import random
from types import ModuleType

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.markup import dblp_xml, endnote_xml, jats_xml, pubmed_xml
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.markup.markup_files import DBLP, ENDNOTE, FILES, JATS, PUBMED, told, works
from tests.rows import each_row

FORMATS = {endnote_xml: ENDNOTE, pubmed_xml: PUBMED, dblp_xml: DBLP, jats_xml: JATS}
PARTS = [b"<", b">", b"/>", b"&", b"&#0;", b"&lt;", b"<!--", b"<![CDATA[", b"\x00", b"\xff", b'"']
OTHERS = [
    "",
    "TY  - JOUR\nER  - \n",
    "@article{a, title={<article><front>}}",
    '{"title": "<xml><records>"}',
    "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\n",
    "PMID- 1\nTI  - <PubmedArticleSet>\n",
    "<!DOCTYPE html><html><body><article><front></front></article></body></html>",
    "<article><para>DocBook</para></article>",
    "<xml><data/></xml>",
    "<records><record/></records>",
    '<?xml version="1.0"?><feed><entry/></feed>',
    "<collection><record><leader/></record></collection>",
]


@each_row("module", FORMATS)
def test_documented_works_are_read_with_what_they_cite(module: ModuleType) -> None:
    name = module.__name__.rpartition(".")[2].removesuffix("_xml")
    expected = json.loads(FILES.joinpath(f"{name}.json").read_text(encoding="utf-8"))
    found = works(module.read, FORMATS[module])
    shown = [
        told(work) | ({"cites": [*map(told, work.cites)]} if work.cites else {}) for work in found
    ]
    assert json.loads(json.dumps(shown)) == expected


@each_row("module", FORMATS)
def test_a_file_is_known_by_its_beginning_and_by_one_format(module: ModuleType) -> None:
    text = FORMATS[module]
    for beginning in (text, text[: len(text) // 2], "\ufeff" + text, text.replace("\n", "\r\n")):
        assert [each for each in FORMATS if each.looks_so(beginning)] == [module]


@each_row("module", FORMATS)
def test_line_ends_of_windows_change_nothing(module: ModuleType) -> None:
    text = FORMATS[module]
    assert works(module.read, text.replace("\n", "\r\n")) == works(module.read, text) != []


@each_row("text", OTHERS)
def test_other_files_are_not_taken_for_these(text: str) -> None:
    assert [each for each in FORMATS if each.looks_so(text)] == []


@each_row(
    ("module", "header"),
    [
        (endnote_xml, '<?xml version="1.0"?><xml><records></records></xml>'),
        (pubmed_xml, "<PubmedArticleSet></PubmedArticleSet>"),
        (dblp_xml, '<!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp></dblp>'),
    ],
)
def test_a_header_alone_is_known_and_holds_nothing(module: ModuleType, header: str) -> None:
    assert module.looks_so(header) and works(module.read, header) == []


@each_row("part", ["<", "<a", "<!--", "<?", "<a ", "</a>", "<!DOCTYPE ", "<article "])
def test_looking_at_a_long_beginning_takes_no_longer(part: str) -> None:
    for module in FORMATS:
        module.looks_so(part * (100_000 // len(part)))
        module.looks_so("<article>" + part * (100_000 // len(part)))


@each_row("module", FORMATS)
def test_a_file_cut_anywhere_gives_its_first_works(module: ModuleType) -> None:
    raw = FORMATS[module].encode()
    whole = list(module.read(io.BytesIO(raw)))
    for end in range(0, len(raw), 97):
        found = list(module.read(io.BytesIO(raw[:end])))
        problems = [each for each in found if isinstance(each, Problem)]
        assert found[: len(found) - len(problems)] == whole[: len(found) - len(problems)]
        assert len(problems) == (1 if end else 0)


@each_row("module", FORMATS)
@given(seed=st.integers(0, 2**32))
def test_a_file_changed_anywhere_gives_works_and_problems(module: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    raw = bytearray(FORMATS[module].encode())
    for _ in range(rng.randint(1, 6)):
        begin = rng.randrange(len(raw))
        end = min(len(raw), begin + rng.randint(0, 30))
        other = rng.randrange(len(raw))
        raw[begin:end] = rng.choice([b"", rng.choice(PARTS), bytes(raw[other : other + 40])])
    found = list(module.read(io.BytesIO(bytes(raw))))
    assert all(isinstance(each, Reference | Problem) for each in found)
    assert sum(isinstance(each, Problem) for each in found) <= 1


@each_row("module", FORMATS)
def test_elements_in_any_order_and_place_do_no_harm(module: ModuleType) -> None:
    """Element names are kept and their nesting is not: a reader may rely on no schema."""
    rng = random.Random(7)
    names = sorted(set(FORMATS[module].replace("/", " ").replace(">", " ").split("<")))
    tags = sorted({name.split()[0] for name in names if name.split() and name[0].isalpha()})
    for _ in range(100):
        stack: list[str] = []
        parts: list[str] = []
        for _ in range(60):
            if stack and rng.random() < 0.45:
                parts.append(f"</{stack.pop()}>")
            else:
                stack.append(rng.choice(tags))
                parts.append(
                    f"<{stack[-1]}>{rng.choice(['', ' ', '2001', 'Oak O. A.', '10.1234/x'])}"
                )
        parts += [f"</{tag}>" for tag in reversed(stack)]
        found = list(module.read(io.BytesIO(f"<all>{''.join(parts)}</all>".encode())))
        assert all(isinstance(each, Reference) for each in found)
