"""Pages of which a program writes one block: what stands between two marks is replaced.

The block `seeds` stands in the page `seeds.md` of a folder, between the lines `<!-- seeds -->` and
`<!-- /seeds -->`; people write what is around it.
"""

from pathlib import Path

from recsys.errors import InputError, near_miss


def splice(text: str, name: str, block: str) -> str:
    """Replace what stands between the two marks of a block.

    Raises:
        InputError: a mark is missing, repeated, or they are the wrong way round.
    """
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end) or text.count(first) + text.count(last) != 2:
        raise InputError(
            f"The page does not hold the marks of {name!r}, each once and in order.",
            f"Write {first} and {last} around the place of the tables.",
        )
    return f"{before}{first}\n{block.strip()}\n{last}{after}"


def rewrite_page(folder: Path, name: str, block: str) -> None:
    """Put a block into its page of a folder.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    text = splice(_text(folder, name), name, block)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def check_page(folder: Path, name: str) -> None:
    """Refuse a folder whose page cannot take the block, before hours of work.

    Raises:
        InputError: there is no such page, or it lacks the marks.
    """
    splice(_text(folder, name), name, "")


def _text(folder: Path, name: str) -> str:
    path = folder / f"{name}.md"
    if not path.is_file():
        known = [each.name for each in folder.parent.glob("*")] if folder.parent.is_dir() else []
        raise InputError(
            f"There is no page {path}.{near_miss(folder.name, known)}",
            "Give the folder of the results, such as docs/results.",
        )
    return path.read_text(encoding="utf-8")
