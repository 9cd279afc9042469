"""The drafts, a folder each, and what a reader must find in them: `cases.toml`."""

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


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
