"""What all formats of tagged lines have in common: any text is read, soon, and nothing is lost."""

import io
from collections.abc import Callable, Iterator
from itertools import repeat

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports import tagged_formats
from recsys.formats.exports.tagged_formats import TaggedFormat
from recsys.formats.references.bibliography import Problem
from recsys.records import Reference
from tests.recsys.formats.exports.golden_exports import ALL, ENW, NBIB, RIS, WOS
from tests.rows import each_row

FORMATS = [
    (tagged_formats.WOS, WOS),
    (tagged_formats.NBIB, NBIB),
    (tagged_formats.ENDNOTE, ENW),
    (tagged_formats.RIS, RIS),
]
NAMES = ["wos", "nbib", "enw", "ris"]
JUNK = [
    "",
    "\n",
    "\n\n",
    " ",
    "   ",
    "\r",
    "\0",
    "\ufeff",
    "ER",
    "PT J\n",
    "PMID- ",
    "%0 ",
    "TY  - ",
]
WORDS = st.lists(st.from_regex(r"[b-df-h]{3,9}", fullmatch=True), min_size=1, max_size=9)


def read(module: TaggedFormat, text: str) -> list[Reference | Problem]:
    return list(module.read(io.StringIO(text, newline="\n")))


def works(module: TaggedFormat, text: str) -> list[Reference]:
    return [item for item in read(module, text) if isinstance(item, Reference)]


@each_row(("module", "text"), FORMATS)
def test_line_ends_of_other_systems_change_nothing(module: TaggedFormat, text: str) -> None:
    assert read(module, text.replace("\n", "\r\n")) == read(module, text)


@each_row(("module", "text"), FORMATS)
@given(data=st.data())
def test_a_damaged_file_is_read(module: TaggedFormat, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 50, len(text))))
    junk = data.draw(st.sampled_from(JUNK) | st.text(max_size=9))
    damaged = text[:start] + junk + text[end : data.draw(st.integers(end, len(text)))]
    for item in read(module, damaged):
        assert not isinstance(item, Problem) or (item.line and item.reason != "unreadable")


@each_row("module", [module for module, _ in FORMATS])
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(JUNK)).map("".join))
def test_any_text_is_read(module: TaggedFormat, text: str) -> None:
    read(module, text)
    module.looks_so(text)


@each_row("module", [module for module, _ in FORMATS])
def test_each_reads_the_exports_of_the_others_without_harm(module: TaggedFormat) -> None:
    for text in ALL:
        read(module, text)


OTHERS = [
    "@article{a,\n note = {\nTY  - JOUR is how RIS begins\n},\n}\n",
    '{"title": "TY  - JOUR"}\n',
    "Title,Year\n%A and %T,2020\n",
    "PT\tAU\tBA\nJ\tLee, A\t\n",
    "<?xml version='1.0'?>\n<PubmedArticleSet>\n<PMID>1</PMID>\n",
    "PMID,Title\n1,PMID- 1\n",
    "1: Lee A. A title. J Things. 2020. PMID: 123.\n",
    "PMID: 123\n10.5555/x\n",
    "RT Journal Article\nSR 1\nA1 Lee,Ann\n",
    "FN and VR are tags\nof another format\n",
    "% \\title\n%T\n",
    "",
]


@each_row("text", OTHERS)
def test_no_other_format_looks_so(text: str) -> None:
    assert not [module for module, _ in FORMATS if module.looks_so(text)]


WRITERS: list[Callable[[list[str], list[str]], str]] = [
    lambda title, words: (
        "\n   ".join(["PT J\nTI", *title]) + "\nAB " + "\n   ".join(words) + "\nER"
    ),
    lambda title, words: (
        "PMID- 1\nTI  - " + "\n      ".join(title) + "\nAB  - " + "\n      ".join(words)
    ),
    lambda title, words: "%0 Book\n%T " + "\n".join(title) + "\n%X " + "\n\n".join(words),
    lambda title, words: "TY  - JOUR\nTI  - " + "\n".join(title) + "\nAB  - " + "\n".join(words),
]


@each_row(
    ("module", "write"),
    [(module, write) for (module, _), write in zip(FORMATS, WRITERS, strict=True)],
)
@given(records=st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_no_word_of_any_line_is_lost(
    module: TaggedFormat,
    write: Callable[[list[str], list[str]], str],
    records: list[tuple[list[str], list[str]]],
) -> None:
    found = works(module, "\n\n".join(write(title, words) for title, words in records))
    assert [(each.title, each.abstract) for each in found] == [
        (" ".join(title), " ".join(words)) for title, words in records
    ]


@each_row(("module", "text"), FORMATS)
def test_records_come_as_the_file_is_read(module: TaggedFormat, text: str) -> None:
    """Files of any length: a thousand copies in, the first works are out before the last line."""
    lines: Iterator[str] = (
        line + "\n" for copy in repeat(text, 1_000) for line in copy.split("\n")
    )
    counted = 0

    def told() -> Iterator[str]:
        nonlocal counted
        for line in lines:
            counted += 1
            yield line

    reading = module.read(told())
    next(reading)
    next(reading)
    assert counted < 200


@each_row(("module", "text"), FORMATS)
@each_row("unit", ["x", " ", "- ", "; ", ", ", "10.5/", "A1 - ", "&amp;"])
def test_long_lines_are_read_soon(module: TaggedFormat, text: str, unit: str) -> None:
    long = unit * (150_000 // len(unit))
    assert module.looks_so(text[:300] + long)
    module.looks_so(long)
    for line in text.split("\n"):
        if line[:2] in (
            "TI",
            "%T",
            "CR",
            "N1",
            "PG",
            "%P",
            "AU",
            "%A",
            "KW",
            "%K",
            "DI",
            "DO",
            "UR",
        ):
            read(module, text.replace(line, line + long))
    read(module, long)
