"""What people read uses the words of the field: CONTRIBUTING.md says which replace which."""

import ast
import re
from collections.abc import Iterator

from tests.docs.written_pages import PAGES, ROOT
from tests.rows import each_row

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_BEFORE, _, _REST = CONTRIBUTING.partition("\n## Words\n")
_TABLE, _, _AFTER = _REST.partition("\n## ")
ROWS = re.findall(r"^\| ([^|`-]+) \| (`.*`) \|$", _TABLE, re.MULTILINE)
REPLACED = {old: new for new, cell in ROWS for old in re.findall(r"`([^`]+)`", cell)}
"""What nobody writes -> what stands in its place."""
_PATTERN = re.compile(
    "|".join(
        (r"\b" if old[0].isalpha() else "") + re.escape(old).replace(r"\ ", r"\s+") + r"\b"
        for old in sorted(REPLACED, key=len, reverse=True)
    ),
    re.IGNORECASE,
)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
SHOWN = ("tests/golden/help/*.txt", "recsys/app/web/templates/*", "recsys/mapping/templates/*")
"""What people read beside the pages: help texts, and the templates of the page and the map."""
TEXTS = {
    **PAGES,
    "CONTRIBUTING.md": _BEFORE + "\n" * (_TABLE.count("\n") + 3) + _AFTER,
    **{
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for pattern in SHOWN
        for path in sorted(ROOT.glob(pattern))
    },
}
MODULES = [
    path.relative_to(ROOT).as_posix()
    for folder in ("recsys", "pipelines", "indexes", "eval")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def messages(code: str) -> Iterator[ast.Constant]:
    """Yield the texts in a module that are no docstrings."""
    tree = ast.parse(code)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


def wrong_words(name: str, text: str) -> Iterator[str]:
    """Yield each replaced phrase outside of code, with its line and what to write instead."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    for found in _PATTERN.finditer(prose):
        old = " ".join(found[0].split())
        line = prose.count("\n", 0, found.start()) + 1
        yield f"{name}:{line}: {old!r}: write {REPLACED[old.lower()]!r}"


@each_row("name", TEXTS)
def test_pages_help_and_templates_use_the_words_of_the_field(name: str) -> None:
    assert [*wrong_words(name, TEXTS[name])] == []


@each_row("module", MODULES)
def test_messages_use_the_words_of_the_field(module: str) -> None:
    for text in messages((ROOT / module).read_text(encoding="utf-8")):
        assert [*wrong_words(f"{module}, line {text.lineno}", str(text.value))] == []


def test_a_replaced_word_is_found_on_its_line_and_not_in_code() -> None:
    assert len(REPLACED) > 30
    text = "One.\nIt carries\nover. `carries over`\n```\ncarries over\n```\nPapers To Find.\n"
    assert [*wrong_words("a.md", text)] == [
        "a.md:2: 'carries over': write 'transfers'",
        "a.md:7: 'Papers To Find': write 'relevant papers'",
    ]


def test_messages_are_the_texts_that_are_no_docstrings() -> None:
    code = 'X = "one"\n"""About X."""\n\ndef f():\n    """Do."""\n    say(f"{X} killed build")\n'
    found = [*messages(code)]
    assert {(text.lineno, text.value) for text in found} == {(1, "one"), (6, " killed build")}
    assert [*wrong_words("f", str(found[-1].value))] == ["f:1: 'killed build': write 'interrupted'"]
