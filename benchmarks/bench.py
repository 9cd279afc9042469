"""What benchmarks share: corpora, indexes, command lines, and what programs cost."""

import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from typing import IO, Annotated, Any, TypeAlias

import typer

from recsys.errors import InputError, RecsysError, check_name, near_miss
from recsys.machine import processors
from recsys.store.generations import in_force

PAPERS, SPLIT = "papers.jsonl.gz", "split.json"
"""What the folder of a corpus holds."""
HERE, OUT, DOCS = Path(__file__).parent, Path("benchmarks/out"), Path("docs/results")
Data = Annotated[Path, typer.Option(metavar="DIR", help="Folder of corpus folders.")]
Work = Annotated[Path, typer.Option(metavar="DIR", help="Folder for what is built.")]
Docs = Annotated[Path, typer.Option(metavar="DIR", help="Folder of the pages to rewrite.")]
Results = Annotated[Path, typer.Option(metavar="FILE", help="Figures to keep.")]
Figures: TypeAlias = dict[str, Any]
"""JSON values."""
INTERRUPTED = 130
"""As of a program that SIGINT ends: 128 + 2."""

# A small process in between: a child's peak memory counts from its fork, so a large parent would
# be measured with it.
_LAUNCHER = """
import json, os, sys, time
begun = time.perf_counter()
pid = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
facts = {"seconds": time.perf_counter() - begun, "cpu_seconds": used.ru_utime + used.ru_stime,
         "peak_mib": used.ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))}
with open(sys.argv[1], "w") as file:
    json.dump(facts, file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def program(module: str, *commands: Callable[..., None]) -> Callable[..., int]:
    """Make a program of functions: each is a command, or all of it if there is but one.

    It takes the words of the command line (None: those of the process), and returns its exit code:
    0, that of its error, which is told in one line, or INTERRUPTED.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    for command in commands:
        app.command()(_ending(command))

    def main(arguments: Sequence[str] | None = None) -> int:
        try:
            app(args=arguments, prog_name=f"python -m {module}")
        except SystemExit as done:
            return int(done.code or 0)
        return 0

    return main


def _ending(command: Callable[..., None]) -> Callable[..., None]:
    """End a command by an exit code where it fails."""

    @wraps(command)
    def run(*given: Any, **named: Any) -> None:  # noqa: ANN401 - whatever the command takes.
        try:
            command(*given, **named)
        except RecsysError as error:
            sys.stderr.write(f"error: {error}\n")
            raise typer.Exit(error.exit_code) from error
        except OSError as error:
            sys.stderr.write(f"error: {error.strerror or error}: {error.filename}\n")
            raise typer.Exit(RecsysError.exit_code) from error
        except KeyboardInterrupt as error:
            sys.stderr.write("interrupted\n")
            raise typer.Exit(INTERRUPTED) from error

    return run


def tell(stage: str, done: int, total: int) -> None:
    """Say how far it is, some twenty times."""
    if done == total or done % max(total // 20, 1) == 0:
        sys.stderr.write(f"{stage}: {done:,} of {total:,}\n")


def read_papers(path: Path) -> list[dict[str, Any]]:
    """Read a gzipped file of papers, a JSON object a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


@contextmanager
def gzipped(path: Path, level: int = 4) -> Iterator[IO[bytes]]:
    """Open a file to be written gzipped: the same content is the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as file:
        yield file  # type: ignore[misc] # It writes bytes.


def chosen(text: str, known: Collection[str]) -> list[str]:
    """Read names with commas between them.

    Raises:
        InputError: one is not known.
    """
    names = [name.strip() for name in text.split(",")]
    for name in names:
        check_name(name, known, "choice")
    return names


@dataclass(frozen=True, slots=True)
class Bench:
    """data: one folder per corpus, with PAPERS and SPLIT. work: what is written."""

    data: Path
    work: Path

    def papers(self, corpus: str) -> Path:
        """Return a corpus's file of papers.

        Raises:
            InputError: it is not there.
        """
        path = self.data / corpus / PAPERS
        if not path.is_file():
            names = [folder.name for folder in self.data.glob("*")]
            raise InputError(
                f"There is no corpus at {path}.{near_miss(corpus, names)}", "Check --data."
            )
        return path

    def split(self, corpus: str) -> Path:
        """Return a corpus's split file."""
        return self.data / corpus / SPLIT

    def index(self, corpus: str) -> Path:
        """Return where a corpus's index lies."""
        return self.work / f"{corpus}.index"

    def built(
        self, corpus: str, *, precision: str | None = None, titles_only: bool = False
    ) -> Path:
        """Build a corpus's index unless it is up to date, and return it."""
        self.work.mkdir(parents=True, exist_ok=True)
        papers, index = self.papers(corpus), self.index(corpus)
        options: list[str] = []
        if precision is not None:
            index, options = index.with_stem(f"{corpus}-{precision}"), ["--precision", precision]
        if titles_only:
            index = index.with_stem(f"{index.stem}-titles")
            options.append("--titles-only")
        try:
            run_recsys("build", papers, "--out", index, *options)
        except RecsysError:  # An older version wrote it.
            run_recsys("build", papers, "--out", index, *options, "--force")
        return index

    def trained(self, corpus: str) -> Path:
        """Return a corpus's index with its own rankers, training them if they are not there."""
        index = self.built(corpus)
        for folder, options in (("ranker", ()), ("ranker-no-metadata", ("--no-metadata",))):
            if not (in_force(index) / folder).is_dir():
                run_recsys("train", "ranker", index, "--split", self.split(corpus), *options)
        return index


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process and its children took. cpu_seconds: user and system, of all processors.

    peak_mib: resident memory of the largest one. out: its stdout.
    """

    seconds: float
    cpu_seconds: float
    peak_mib: float
    out: str


def run_program(command: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> Cost:
    """Run a program to its end; stderr goes where ours does.

    Args:
        command: absolute path of the program, and its arguments.
        env: variables set beside those of this process.

    Raises:
        RecsysError: it failed, or the system does not tell what a program cost.
    """
    if not hasattr(os, "wait4"):
        raise RecsysError(
            "What programs cost cannot be measured here: the system has no wait4.",
            "Measure on Linux or macOS.",
        )
    words = [str(word) for word in command]
    with tempfile.TemporaryDirectory() as folder:
        facts = Path(folder) / "facts.json"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(facts), *words],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
        )
        if done.returncode != 0:
            raise RecsysError(
                f"`{' '.join(words)}` ended with exit code {done.returncode}.",
                "Its message is above.",
            )
        return Cost(**json.loads(facts.read_text(encoding="utf-8")), out=done.stdout)


def recsys_program() -> Path:
    """Find the console script beside the interpreter.

    Raises:
        RecsysError: the package is not installed there.
    """
    folder = Path(sys.executable).parent
    found = shutil.which("recsys", path=str(folder))  # On Windows it is called recsys.exe.
    if found is None:
        raise RecsysError(f"There is no program recsys in {folder}.", "Run: make venv")
    return Path(found)


def run_recsys(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Cost:
    """Run `recsys` as a user would."""
    return run_program([recsys_program(), *arguments], env=env)


def run_module(module: str, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401 - JSON.
    """Run a Python module that writes JSON to stdout, and return its value."""
    return json.loads(run_program([sys.executable, "-m", module, *arguments], env=env).out)


def machine() -> dict[str, Any]:
    """Say on what is measured."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": named[0] if named else platform.processor(),
        "processors": processors(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
    }
