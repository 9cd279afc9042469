"""Write answers where the user wants them: stdout, one file, or one file for each draft."""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from recsys.app.output import emit, note
from recsys.app.terminal import cleaned, draw
from recsys.formats.answer_formats import FORMATS
from recsys.records import Answer


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
