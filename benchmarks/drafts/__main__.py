"""Read small drafts, written in the ways in which people write them, and fill the page.

Run as `python -m benchmarks.drafts --docs docs/results`. The drafts, a folder each, and what a
reader must find in them: `cases.toml`.
"""

import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import DOCS, Docs, program
from benchmarks.result_tables import written
from docs.made.marked_pages import page_with, rewrite_block
from recsys.errors import RecsysError
from recsys.formats.drafts.draft_formats import open_draft

HERE = Path(__file__).parent
BLOCK, RIGHT = "drafts", "right"


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, and what it says; what is None is not judged.

    part: of the drafts in the wild. name: in what way it is written. folder: of its files, below
    this one. draft: what of them is given to the reader. keys, cited: the keys and the titles of
    the works that it cites, in any order. told: what the notes must hold, each in some line.
    """

    part: str
    name: str
    folder: str
    draft: str = "paper.tex"
    title: str | None = None
    abstract: str | None = None
    authors: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    cited: tuple[str, ...] | None = None
    told: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Return where that lies which is given to the reader."""
        return HERE / self.folder / self.draft


def read_cases() -> tuple[Draft, ...]:
    """Return all drafts, part by part."""
    drafts = []
    for part in tomllib.loads((HERE / "cases.toml").read_text(encoding="utf-8"))["parts"]:
        for own in part.pop("drafts"):
            said = {**part, **own}
            lists = {key: tuple(said[key]) for key in said if isinstance(said[key], list)}
            drafts.append(Draft(**said | lists))
    return tuple(drafts)


def put_down(draft: Draft, folder: Path) -> Path:
    """Copy the files of a draft into a folder; return the path of what is given to a reader."""
    shutil.copytree(HERE / draft.folder, folder, dirs_exist_ok=True)
    for stored in folder.glob("dot-git"):  # Git keeps no folder of the name that it means.
        stored.rename(stored.with_name(".git"))
    return folder / draft.draft


def run(docs: Docs = DOCS) -> None:
    """Read all drafts, and write what of them is wrong."""
    page_with(docs, BLOCK)
    rewrite_block(docs, BLOCK, verdict_tables(verdicts(read_cases())))


def verdicts(drafts: Iterable[Draft]) -> Mapping[str, str]:
    """Read each draft: "part: name" -> what was wrong, or `RIGHT`."""
    return {f"{draft.part}: {draft.name}": verdict(draft) for draft in drafts}


def verdict(draft: Draft) -> str:
    """Read a draft, and say what of it is wrong, or `RIGHT`."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = open_draft(put_down(draft, Path(folder))).manuscript
        except RecsysError as error:
            return f"error: {error.what.replace(folder, '')[:80]}"
    wrong = [
        field
        for field in ("title", "abstract", "authors")
        if getattr(draft, field) not in (None, getattr(found, field))
    ]
    expected = draft.keys if draft.keys is not None else draft.cited
    if expected is not None:
        keyed = draft.keys is not None
        got = sorted((work.key if keyed else work.title) or "" for work in found.references)
        if sorted(expected) != got:
            right = sum(each in expected for each in got)
            wrong.append(f"references ({right} of {len(expected)}, {len(got) - right} wrong)")
    if any(all(piece not in note for note in found.notes) for piece in draft.told):
        wrong.append("not said")
    return ", ".join(wrong) or RIGHT


def verdict_tables(found: Mapping[str, str]) -> str:
    """Write how many drafts of each part are read right, and what is wrong with which."""
    of_part: dict[str, list[str]] = {}
    for name, said in found.items():
        of_part.setdefault(name.partition(": ")[0], []).append(said)
    rows = (*of_part.items(), ("all", [*found.values()]))
    parts = [(part, len(said), said.count(RIGHT)) for part, said in rows]
    return written(BLOCK, {"parts": parts, "verdicts": found, "right": RIGHT})


main = program("benchmarks.drafts", run)
if __name__ == "__main__":
    sys.exit(main())
