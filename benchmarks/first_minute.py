"""Measure what it takes from an empty virtual environment to the first answer.

Run as `python -m benchmarks.first_minute --wheels DIR --docs docs`, where DIR holds the wheels of
citerec and of all that it needs: `pip download --find-links build/wheels -d DIR 'citerec[app]'`.
"""

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlparse
from urllib.request import url2pathname

import typer

from benchmarks.bench import Cost, program, run_program
from benchmarks.result_tables import table
from docs.made.marked_pages import page_with, rewrite_block
from recsys.machine import MIB

PAGE = "platform"
ASKED = ("recommend", "--title", "Recommending citations with text embeddings", "--quiet")


@dataclass(frozen=True, slots=True)
class Minute:
    """What was installed, and what that and its first two answers took.

    download, installed: bytes; bytecode counts, pip does not.
    """

    requirement: str
    distributions: int
    download: int
    installed: int
    install: Cost
    first: Cost
    second: Cost

    def row(self) -> tuple[str, ...]:
        """Write it as a row of the table."""
        answers = (f"{each.cpu_seconds:.1f} s, {each.peak_mib:.0f}" for each in self.answers)
        sizes = (f"{size / MIB:.0f}" for size in (self.download, self.installed))
        name = f"`{self.requirement}`"
        return (
            name,
            str(self.distributions),
            *sizes,
            f"{self.install.cpu_seconds:.0f} s",
            *answers,
        )

    @property
    def answers(self) -> tuple[Cost, Cost]:
        """The first, which builds the starter index, and the second."""
        return self.first, self.second


HEADER = (
    *("", "distributions", "download, MiB", "installed, MiB", "install"),
    *("first answer, peak MiB", "second answer, peak MiB"),
)
"""Seconds are those of processors: others may use the machine meanwhile."""


def run(
    wheels: Annotated[Path, typer.Option(help="Folder of wheels; they alone are installed.")],
    docs: Annotated[Path, typer.Option(help="Folder of platform.md.")] = Path("docs"),
    requirements: Annotated[
        str, typer.Option(help="With commas between.")
    ] = "citerec,citerec[app]",
) -> None:
    """Install each requirement from files, ask twice, and rewrite the table of platform.md."""
    page_with(docs, PAGE)
    rows = [measured(each, wheels).row() for each in requirements.split(",")]
    rewrite_block(docs, PAGE, table(HEADER, rows))


def measured(requirement: str, wheels: Path) -> Minute:
    """Install a requirement into an environment of its own, and ask it twice."""
    with tempfile.TemporaryDirectory() as folder:
        place, report = Path(folder, "venv"), Path(folder, "report.json")
        run_program([sys.executable, "-m", "venv", "--without-pip", place])
        pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(place)]
        given = ["--no-index", "--find-links", str(wheels), "--report", str(report), requirement]
        install = run_program([*pip, "install", *given], env={"PIP_FIND_LINKS": ""})
        taken = json.loads(report.read_text(encoding="utf-8"))["install"]
        files = [Path(url2pathname(urlparse(each["download_info"]["url"]).path)) for each in taken]
        own = {"RECSYS_CACHE": str(Path(folder, "cache")), "PYTHONPATH": ""}
        first, second = (run_program([place / "bin" / "recsys", *ASKED], env=own) for _ in range(2))
        if first.out != second.out:
            raise RuntimeError("the second answer is another one")
        download = sum(path.stat().st_size for path in files)
        return Minute(requirement, len(files), download, size(place), install, first, second)


def size(folder: Path) -> int:
    """Add up what the files of a folder take on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


main = program("benchmarks.first_minute", run)

if __name__ == "__main__":
    sys.exit(main())
