"""Find the files that a draft names: only below the draft's own folder."""

from collections.abc import Sequence
from pathlib import Path

from recsys.errors import DraftError
from recsys.formats.drafts.wording import short
from recsys.formats.files import STDIN


def folder_of(draft: Path) -> Path | None:
    """Return the folder of a draft with every link resolved; None for standard input."""
    return None if draft == STDIN else draft.parent.resolve()


def find(
    folder: Path | None, name: str, suffixes: Sequence[str], *, near: Path | None = None
) -> Path:
    """Find a file that a draft names, with one of the suffixes added or as it is.

    Args:
        folder: the draft's folder (`folder_of`).
        name: the file, relative to the folder.
        suffixes: what the name may lack, such as ".tex".
        near: a folder that is tried next.

    Raises:
        DraftError: there is no such file, or it lies outside the folder, by a link or otherwise.
    """
    if folder is None:
        raise DraftError(f"{short(name)} was not read: standard input has no folder.")
    outside = False
    for start in dict.fromkeys((folder, near or folder)):
        for suffix in (*suffixes, ""):
            try:
                path = (start / f"{name}{suffix}").resolve()
                within = path.is_relative_to(folder)
                if within and path.is_file():
                    return path
            except (OSError, ValueError, RuntimeError):  # Too long, a NUL, or links in a circle.
                continue
            outside = outside or not within
    if outside:
        raise DraftError(f"{short(name)} was not read: it is outside the draft's folder.")
    raise DraftError(f"{short(name)} was not read: there is no such file in the draft's folder.")
