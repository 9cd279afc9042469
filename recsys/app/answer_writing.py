"""Write answers where the user wants them: stdout, one file, or one file for each draft."""

import contextlib
import os
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

from recsys.app.terminal import cleaned, draw, say, show
from recsys.errors import InputError, near_path
from recsys.formats.answers import FORMATS
from recsys.records import Answer

# Write what a command answers: data to stdout or a file, notes to stderr.


def check_target(out: Path | None) -> None:
    """Refuse an output that cannot be written, before any work is done; None is stdout.

    Raises:
        InputError: stdout is closed, the path is a directory, or its folder does not exist.
    """
    if out is None:
        if sys.stdout is None:
            raise InputError("Standard output is closed.", "Give a file by --out.")
        return
    if out.is_dir():
        raise InputError(f"{out} is a directory.", "Give the path of a file to write.")
    out = Path(os.path.realpath(out)) if out.is_symlink() and not out.exists() else out
    if not out.parent.is_dir():
        raise InputError(
            f"There is no folder {out.parent} to write {out.name} in.{near_path(out.parent)}",
            "Create it first.",
        )


def check_folder(out: Path) -> None:
    """Refuse an output folder that cannot be one, before any work is done.

    Raises:
        InputError: the path is a file.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file.", "Give the path of a folder to write.")


def emit(text: str, out: Path | None = None) -> None:
    """Write data to a file, whole or not at all, or to stdout when there is no path."""
    if out is None:
        show(text)
        return
    from recsys.formats.replacing import write_whole

    with contextlib.suppress(BrokenPipeError):  # As with stdout: the reader has what it wanted.
        write_whole(out, text)


def note(text: str, *, quiet: bool = False) -> None:
    """Write a line for people to stderr, unless they asked for quiet."""
    if not quiet:
        say(text)


def no_colour() -> bool:
    """Whether to write without colours and weights: NO_COLOR is not empty, see no-color.org."""
    return bool(os.environ.get("NO_COLOR"))


@dataclass(slots=True)
class AnswerWriter:
    """Writes one answer, or several, as they come.

    form: one of FORMATS. out: a file for all of them; it is written at the end, whole. folder: for
    a file of each. several: whether there is more than one draft, so that each must be told.
    """

    form: str
    out: Path | None = None
    folder: Path | None = None
    several: bool = False
    quiet: bool = False
    _texts: list[str] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def write(self, answer: Answer) -> None:
        """Write an answer, or keep it for the one file that all of them are written to."""
        if self.folder is not None:
            path = self.folder / self._file_name(answer.draft or "draft")
            self.folder.mkdir(parents=True, exist_ok=True)
            emit(answer.write(self.form), path)
            note(f"Written to {path}.", quiet=self.quiet)
        elif self.out is not None:
            self._texts.append(self._told_apart(answer, answer.write(self.form)))
        elif self.form == "table" and sys.stdout is not None and sys.stdout.isatty():
            from recsys.app.coloured_table import coloured_table

            draw(self._told_apart(answer, coloured_table(answer)))
        else:
            emit(self._told_apart(answer, answer.write(self.form)))

    def close(self) -> None:
        """Write what was kept, though a later draft may have ended the program."""
        if self._texts and self.out is not None:
            emit("".join(self._texts), self.out)

    def _told_apart(self, answer: Answer, text: str) -> str:
        """Head a table with its draft; lines of JSON name theirs."""
        headed = self.several and self.form == "table"
        return f"== {cleaned(answer.draft or '')} ==\n{text}\n" if headed else text

    def _file_name(self, draft: str) -> str:
        """Call a file after its draft: `paper.bib`; of another folder's paper, `paper-2.bib`."""
        stem = "stdin" if draft == "-" else Path(draft).stem if Path(draft).exists() else draft
        stem = re.sub(r"[^\w.-]+", "-", stem).strip("-.") or "draft"
        suffix, number, name = FORMATS[self.form].suffix, 1, stem
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}-{number}"
        self._taken.add(name.casefold())
        return name + suffix


# Tell how a result was made, so that it can be made again.


def command_line() -> str:
    """Return the command that runs, as a shell takes it."""
    return shlex.join(["recsys", *sys.argv[1:]])


def made(seed: int, **files: Path) -> dict[str, str]:
    """Tell what it takes to make a result again; files: what was read, by name."""
    from recsys.pipelines.evaluation.batch import versions
    from recsys.store.artifacts import CREATED_BY, sha256

    return {
        "command": command_line(),
        "program": CREATED_BY,
        "seed": str(seed),
        **{f"{name} sha256": sha256(path) for name, path in files.items() if path.is_file()},
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
