"""Pages use the words of the field: the table of CONTRIBUTING.md says which replace which."""

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
OTHERS = (
    *("docs/results/", "docs/reference/commands.md", "docs/platform.md", "docs/guide/python.md"),
    *("docs/guide/map.md", "docs/notes/"),
)
"""Pages that are rewritten elsewhere, and notes that stay as they were written."""
TEXTS = {
    **{page: text for page, text in PAGES.items() if not page.startswith(OTHERS)},
    "CONTRIBUTING.md": _BEFORE + "\n" * (_TABLE.count("\n") + 3) + _AFTER,
}


def wrong_words(name: str, text: str) -> Iterator[str]:
    """Yield each replaced phrase outside of code, with its line and what to write instead."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    for found in _PATTERN.finditer(prose):
        old = " ".join(found[0].split())
        line = prose.count("\n", 0, found.start()) + 1
        yield f"{name}:{line}: {old!r}: write {REPLACED[old.lower()]!r}"


@each_row("name", TEXTS)
def test_pages_use_the_words_of_the_field(name: str) -> None:
    assert [*wrong_words(name, TEXTS[name])] == []


def test_a_replaced_word_is_found_on_its_line_and_not_in_code() -> None:
    assert len(REPLACED) > 30
    text = "One.\nIt carries\nover. `carries over`\n```\ncarries over\n```\nPapers To Find.\n"
    assert [*wrong_words("a.md", text)] == [
        "a.md:2: 'carries over': write 'transfers'",
        "a.md:7: 'Papers To Find': write 'relevant papers'",
    ]
