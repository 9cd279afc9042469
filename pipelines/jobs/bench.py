"""Where the benchmarks find their corpora and keep their indexes."""

from dataclasses import dataclass
from pathlib import Path

from recsys.errors import InputError, RecsysError, near_miss
from recsys.pipelines.jobs.programs import run_recsys
from recsys.store.generations import in_force

PAPERS, SPLIT = "papers.jsonl.gz", "split.json"
"""What the folder of a corpus holds."""


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
            known = [each.name for each in self.data.glob("*")] if self.data.is_dir() else []
            raise InputError(
                f"There is no corpus at {path}.{near_miss(corpus, known)}", "Check --data."
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
        options: tuple[str, ...] = ()
        if precision is not None:
            index, options = index.with_stem(f"{corpus}-{precision}"), ("--precision", precision)
        if titles_only:
            index, options = index.with_stem(f"{index.stem}-titles"), (*options, "--titles-only")
        try:
            run_recsys("build", papers, "--out", index, *options)
        except RecsysError:  # It is of another schema, or damaged.
            run_recsys("build", papers, "--out", index, *options, "--force")
        return index

    def trained(self, corpus: str) -> Path:
        """Return a corpus's index with its own rankers, training them if they are not there."""
        index = self.built(corpus)
        for folder, options in (("ranker", ()), ("ranker-no-metadata", ("--no-metadata",))):
            if not (in_force(index) / folder).is_dir():
                run_recsys("train", "ranker", index, "--split", self.split(corpus), *options)
        return index
