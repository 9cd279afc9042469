import time

from hypothesis import given
from hypothesis import strategies as st

from recsys.formats.latex.latex_source import (
    LONGEST_EXPANSION,
    Definition,
    expand,
    group,
    groups,
)
from tests.rows import each_row


@each_row(
    ("source", "inside"),
    [
        ("{a}", "a"),
        (" \n{a{b}c} d", "a{b}c"),
        (r"{a\}b}", r"a\}b"),
        (r"{a\\}b}", r"a\\"),
        ("{}", ""),
        ("a{b}", None),
        ("{a", None),
        ("{" * 200 + "}" * 200, None),
    ],
)
def test_a_group_ends_at_its_own_brace(source: str, inside: str | None) -> None:
    assert group(source, 0) == inside


@given(st.recursive(st.text("ab ", max_size=4), lambda s: st.builds("{0}{{{1}}}".format, s, s)))
def test_whatever_is_balanced_is_one_group(inside: str) -> None:
    assert group(f"{{{inside}}}rest}}", 0) == inside
    assert groups(f"{{{inside}}} {{{inside}}}", 0, 5) == [inside, inside]


def test_macros_are_expanded_within_one_another() -> None:
    macros = {
        "a": Definition("A", 0),
        "b": Definition(r"[\a|#1]", 1),
        "c": Definition(r"\b{#2}\b{#1}", 2),
    }
    assert expand(r"\c{x}{\a} \ab \b", macros) == r"{{[{A}|{A}]}{[{A}|x]}} \ab \b"


@each_row(
    "macros",
    [
        {"a": Definition(r"\a", 0)},
        {"a": Definition(r"\a\a", 0)},
        {"a": Definition(r"\b\b", 0), "b": Definition(r"\a\a", 0)},
        {"a": Definition(r"\b{#1#1#1}", 1), "b": Definition(r"\a{#1#1#1}", 1)},
        {chr(97 + i): Definition(f"\\{chr(98 + i)} " * 30, 0) for i in range(20)},
        {"a": Definition("x" * 5000, 0)},
    ],
)
def test_no_macro_expands_without_end(macros: dict[str, Definition]) -> None:
    begun = time.process_time()
    assert len(expand(r"\a{x}" * 100, macros)) < 10 * LONGEST_EXPANSION
    assert time.process_time() - begun < 2
