"""RIS, EndNote, nbib and the Web of Science: any text is read, soon, and nothing is lost.

Golden: https://gris.readthedocs.io/en/latest/specification.html (RIS), "Creating a Tagged EndNote
Import File" of EndNote's user guide (https://kb.howsci.com/importing-references/),
https://www.nlm.nih.gov/bsd/mms/medlineelements.html (nbib) and
https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html (Web of Science).
"""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import chain, repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.exports import tagged_formats
from recsys.formats.exports.tagged_formats import ENDNOTE, NBIB, RIS, WOS, TaggedFormat
from recsys.formats.references.bibliography import Problem, work_of
from recsys.records import Reference
from tests.recsys.formats.exports import golden_exports as golden
from tests.rows import each_row, few

FORMATS = {"WOS": WOS, "NBIB": NBIB, "ENDNOTE": ENDNOTE, "RIS": RIS}
EXAMPLES = [(WOS, golden.WOS), (NBIB, golden.NBIB), (ENDNOTE, golden.ENW), (RIS, golden.RIS)]
GOLDEN = Path(__file__).with_name("golden")
FACTS = [*chain.from_iterable(json.loads((GOLDEN / "facts.json").read_text("utf-8")).values())]
"""Lines of a record, and what they tell of its work, by what they have in common."""
WORKS = json.loads((GOLDEN / "works.json").read_text("utf-8"))
"""What the golden exports hold, as `record_of` writes it."""
AROUND = {
    id(WOS): ("FN x\nVR 1.0\nPT J\nTI T", "ER"),
    id(NBIB): ("PMID- 1", ""),
    id(ENDNOTE): ("%0 Journal Article\n%T T", ""),
    id(RIS): ("TY  - JOUR\nTI  - T", "ER  - "),
}
"""What begins and ends a record of a format, its title T."""
JUNK = [*("", "\n", "\n\n", " ", "   ", "\r", "\0", "\ufeff"), *("ER", "PT J\n", "PMID- ", "%0 "),
        "TY  - "]  # fmt: skip
WORDS = st.lists(st.from_regex(r"[b-df-h]{3,9}", fullmatch=True), min_size=1, max_size=9)


def read(form: TaggedFormat, text: str) -> list[Reference | Problem]:
    return list(form.read(io.StringIO(text, newline="\n")))


def works(form: TaggedFormat, text: str) -> list[Reference]:
    return [item for item in read(form, text) if isinstance(item, Reference)]


def titles(form: TaggedFormat, text: str) -> list[str | None]:
    return [work.title for work in works(form, text)]


def problems(form: TaggedFormat, text: str) -> list[str]:
    return [item.text for item in read(form, text) if isinstance(item, Problem)]


def record(form: TaggedFormat, *lines: str) -> Reference:
    """Read a record that has these lines, too, and nothing wrong with it."""
    begin, end = AROUND[id(form)]
    (work,) = read(form, "\n".join((begin, *lines, end)))
    assert isinstance(work, Reference)
    return work


@each_row(("form", "text"), EXAMPLES)
def test_the_golden_records_tell_all(form: TaggedFormat, text: str) -> None:
    (name,) = (name for name, other in FORMATS.items() if other is form)
    assert read(form, text) == list(map(work_of, WORKS[name]))


@each_row(("form", "lines", "told"), FACTS)
def test_facts_stand_where_programs_put_them(
    form: str, lines: list[str], told: dict[str, object]
) -> None:
    work = asdict(record(FORMATS[form], *lines))
    assert json.loads(json.dumps({name: work[name] for name in told})) == told


@each_row(
    ("letter", "types", "kind"),
    [
        ("J", "Article", "article-journal"),
        ("J", "Article; Proceedings Paper", "article-journal"),
        ("C", "Proceedings Paper", "paper-conference"),
        ("S", "Article; Proceedings Paper", "paper-conference"),
        ("S", "Article; Book Chapter", "chapter"),
        ("B", "Review; Book Chapter", "chapter"),
        ("B", "Book", "book"),
        ("P", "Patent", "patent"),
        ("J", "Data Set", "dataset"),
        ("Q", "", "document"),
    ],
)
def test_kinds_of_the_web_of_science(letter: str, types: str, kind: str) -> None:
    (work,) = works(WOS, f"PT {letter}\nDT {types}\nTI T\nER")
    assert work.kind == kind


@each_row(
    ("form", "text", "expected"),
    [
        *((RIS, f"TY - CONF\nTI - One\n{end}\n\nTY  - CONF\nTI  - Two\n{end}", ["One", "Two"])
          for end in ("ER  - ", "ER  -", "ER - ")),
        (NBIB, "PMID- 1\nTI  - One\nPMID- 2\nTI  - Two\n\nTI  - Three\n", ["One", "Two", "Three"]),
        (ENDNOTE, "%0 Book\n%T One\n%0 Book\n%T Two", ["One", "Two"]),
        # Records of refer have no type.
        (ENDNOTE, "%T Corn\n%A Newman, W. H.\n%D 1891\n\n%A Lee\n%T Two\n", ["Corn", "Two"]),
        # An empty line parts records only where another begins.
        (ENDNOTE, "%0 Book\n%T One\n%X a\n\nb\n\n%U https://a.org/\n\n%T Two\n", ["One", "Two"]),
        # Repositories write the type after the title, as on
        # https://bepress.com/reference_guide_dc/citation-export/.
        (ENDNOTE, "%T Tides\n%0 Journal Article\n%D 2021\n\n\n%T Contents\n\n\n%T Sand\n%0 Book\n",
         ["Tides", "Contents", "Sand"]),
        # A record without its beginning.
        (WOS, "TI Cut off\nER\nPT J\nTI Two\nER\nEF", ["Cut off", "Two"]),
        *((form, empty, []) for form in FORMATS.values() for empty in ("", "\n\n")),
        *((WOS, empty, []) for empty in ("FN x\nVR 1.0\n", "FN x\nVR 1.0\nEF\n", "ER\nEF")),
    ],
)  # fmt: skip
def test_records_are_told_apart(form: TaggedFormat, text: str, expected: list[str]) -> None:
    assert titles(form, text) == expected
    assert problems(form, text) == []


def test_what_belongs_to_one_record_stays_in_it() -> None:
    assert [work.kind for work in works(ENDNOTE, "%0 Serial\n%0 Thesis\n%T T\n")] == ["thesis"]
    (work,) = works(NBIB, "PMID- 1\nAB  - One.\n\n      Two.\nTI  - T\n")
    assert (work.abstract, work.title) == ("One. Two.", "T")
    first, _ = works(ENDNOTE, "%0 Book\n%T One\n%X a\n\nb\n\n%U https://a.org/\n\n%T Two\n")
    assert (first.abstract, first.url) == ("a b", "https://a.org/")
    numbers = [work.pmid for work in works(NBIB, "PMID- 1\n\nPMID- 2\n\nPMID- x\n")]
    assert numbers == ["1", "2", None]


@each_row(
    ("form", "text", "expected", "said"),
    [
        (RIS, "TY  - JOUR\nTI  - One\n\nTY  - JOUR\nTI  - Two\n", ["One", "Two"],
         ["line 1: the record has no end (ER).", "line 4: the record has no end (ER)."]),
        (WOS, "FN x\nVR 1.0\nPT J\nTI One\n\nPT J\nTI Two\n   of them", ["One", "Two of them"],
         ["line 3: the record has no end (ER).", "line 6: the record has no end (ER)."]),
        (WOS, f"some\n\nnotes\n{golden.WOS}\nmore", titles(WOS, golden.WOS),
         ["3 lines outside of records were passed over."]),
        (WOS, f"\ufeff{golden.WOS}\ufeff{golden.WOS}", titles(WOS, golden.WOS) * 2, []),
        (RIS, "Provider: X\n\nT1  - Lost\nAU  - Ito, K.\nER  - \nNL  - After it\n", [],
         ["1 records without TY were passed over."]),
        # What stands before TY is of the record, too, but behind an empty line it is of none.
        (RIS, "1.\nProvider: X\nTI  - Late\nTY  - JOUR\nER  -\nTI  - stray\n", ["Late"], []),
        (RIS, "TI  - stray\n\nTY  - JOUR\nTI  - T\nER  -\n", ["T"],
         ["1 records without TY were passed over."]),
        (RIS, "TI  - One\nTY  - JOUR\nER  -\n\nDB  - X\nTI  - Two\nTY  - BOOK\nER  -\n",
         ["One", "Two"], []),
        (RIS, "nothing", [], []),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_and_costs_no_record(
    form: TaggedFormat, text: str, expected: list[str], said: list[str]
) -> None:
    assert titles(form, text) == expected
    assert problems(form, text) == said


def test_what_ends_nowhere_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagged_formats, "LONGEST_RECORD", 2_000)
    text = "PT J\nTI T\nAB x\n" + "   y\n" * 1_000 + "DI 10.5555/lost\nER\nPT J\nTI Two\nER\n"
    first, second = works(WOS, text)
    assert (first.title, first.doi, second.title) == ("T", None, "Two")
    assert len(first.abstract or "") < 100
    said = "line 1: the record has no end in sight; what is beyond is left out."
    assert problems(WOS, text) == [said]


@each_row(
    ("form", "text"),
    [
        (RIS, "Provider: X\n\n  TY - JOUR\n"),
        (NBIB, "OWN - ERIC\nTI  - T\n"),
        (ENDNOTE, "\n%A Lee\n%T Title\n"),
        (WOS, "\ufeffFN ISI Export Format\nVR 1.0\nEF"),
        (WOS, "PT J\nAU Lee, A\nTI T\n"),
    ],
)
def test_other_beginnings_are_recognised(form: TaggedFormat, text: str) -> None:
    assert form.looks_so(text)


@each_row(
    "text",
    [
        "@article{a,\n note = {\nTY  - JOUR is how RIS begins\n},\n}\n",
        '{"title": "TY  - JOUR"}\n',
        "Title,Year\n%A and %T,2020\n",
        "PT\tAU\tBA\nJ\tLee, A\t\n",
        "PT J is what a paper began with\n",
        "FN alone\n",
        "<?xml version='1.0'?>\n<PubmedArticleSet>\n<PMID>1</PMID>\n",
        "PMID,Title\n1,PMID- 1\n",
        "1: Lee A. A title. J Things. 2020. PMID: 123.\n",
        "PMID: 123\n10.5555/x\n",
        "RT Journal Article\nSR 1\nA1 Lee,Ann\n",
        "FN and VR are tags\nof another format\n",
        "% \\title\n%T\n",
        *("%PDF-1.7\n", "%!PS\n", "% Encoding: UTF-8\n@article{a}", "%A alone\n", "%%\n", ""),
    ],
)
def test_no_other_format_looks_so(text: str) -> None:
    assert not [form for form in FORMATS.values() if form.looks_so(text)]


@each_row("form", FORMATS.values())
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(JUNK)).map("".join))
def test_any_text_is_read(form: TaggedFormat, text: str) -> None:
    read(form, text)
    form.looks_so(text)


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


@each_row(("form", "write"), list(zip(FORMATS.values(), WRITERS, strict=True)))
@given(records=st.lists(st.tuples(WORDS, WORDS), max_size=4))
@few(10)
def test_no_word_of_any_line_is_lost(
    form: TaggedFormat,
    write: Callable[[list[str], list[str]], str],
    records: list[tuple[list[str], list[str]]],
) -> None:
    written = works(form, "\n\n".join(write(title, words) for title, words in records))
    assert [(work.title, work.abstract) for work in written] == [
        (" ".join(title), " ".join(words)) for title, words in records
    ]


@each_row(("form", "text"), EXAMPLES)
def test_records_come_as_the_file_is_read(form: TaggedFormat, text: str) -> None:
    """Files of any length: a thousand copies in, the first works are out before the last line."""
    counted = 0

    def lines() -> Iterator[str]:
        nonlocal counted
        for copy in repeat(text, 1_000):
            for line in copy.split("\n"):
                counted += 1
                yield line + "\n"

    reading = form.read(lines())
    next(reading)
    next(reading)
    assert counted < 200


@each_row(("form", "text"), EXAMPLES)
@each_row("unit", ["x", " ", "- ", "; ", ", ", "10.5/", "A1 - ", "&amp;"])
def test_long_lines_are_read_soon(form: TaggedFormat, text: str, unit: str) -> None:
    long = unit * (150_000 // len(unit))
    assert form.looks_so(text[:300] + long)
    form.looks_so(long)
    tags = ("TI", "%T", "CR", "N1", "PG", "%P", "AU", "%A", "KW", "%K", "DI", "DO", "UR")
    for line in text.split("\n"):
        if line.startswith(tags):
            read(form, text.replace(line, line + long))
    read(form, long)
