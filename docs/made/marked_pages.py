"""Pages of which programs write blocks: what stands between two marks is replaced.

The block `seeds` stands in one page of a folder, between the lines `<!-- seeds -->` and
`<!-- /seeds -->`; people write what is around it, and choose the page by setting the marks there.
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


def rewrite_block(folder: Path, name: str, block: str) -> None:
    """Put a block into the page of a folder that has its marks.

    Raises:
        InputError: no page has them, or not each once and in order.
    """
    page = page_with(folder, name)
    page.write_text(splice(page.read_text(encoding="utf-8"), name, block), encoding="utf-8")


def page_with(folder: Path, name: str) -> Path:
    """Find the page of a folder that can take a block: programs ask before hours of work.

    Raises:
        InputError: no page has its marks, or not each once and in order.
    """
    for page in sorted(folder.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if f"<!-- {name} -->" in text:
            splice(text, name, "")
            return page
    known = [each.name for each in folder.parent.glob("*")] if folder.parent.is_dir() else []
    raise InputError(
        f"No page in {folder} has the marks of {name!r}.{near_miss(folder.name, known)}",
        f"Give the folder of the results, such as docs/results; <!-- {name} --> marks the place.",
    )
