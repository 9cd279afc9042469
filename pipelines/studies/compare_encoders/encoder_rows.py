"""The encoders that are compared: by name, or by the vectors that they made elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsys.errors import InputError
from recsys.eval.studies.encoders.training_page import learned_from
from recsys.formats.embeddings.embedding_files import embedding_files
from recsys.pipelines.encoders.checkpoints import files_of
from recsys.pipelines.studies.baselines.baseline_table import BASELINES, check_encoder_name
from recsys.store.artifacts import fingerprint, sha256

_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""

_UNFIT = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An encoder to compare.

    encoder: a name of `BASELINES`, `minilm`, a name on the hub, or a checkpoint's folder; None
    where there are only vectors. files: vectors of the index's papers, and of the labelled ones if
    there is a second file.
    """

    name: str
    encoder: str | None
    files: tuple[Path, ...] = ()

    @property
    def folder(self) -> str:
        """Name a folder for what is made of it."""
        return _UNFIT.sub("-", self.name).strip("-.") or "encoder"

    @property
    def is_baseline(self) -> bool:
        """Tell whether it is fit on the papers themselves."""
        return self.encoder in BASELINES

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what has to be known of its figures, whatever they are."""
        baseline = BASELINES.get(self.encoder or "")
        if baseline is not None:
            return (baseline.note,) if baseline.note else ()
        sources = learned_from(Path(self.encoder).expanduser()) if self.encoder else ()
        if not sources:
            return ()
        names = ", ".join(sources)
        return (f"It has learned from {names}: its figures on these papers flatter it.",)

    def identity(self) -> str:
        """Hash what its vectors depend on beside the papers; a name on the hub stands for itself.

        Raises:
            InputError: a file of vectors cannot be read.
        """
        if self.encoder is None:
            hashes = [[sha256(path) for path in embedding_files(file)] for file in self.files]
            return fingerprint(hashes)
        files = None if self.is_baseline else files_of(self.encoder)
        return fingerprint([_REVISION, self.encoder if files is None else files])


def wanted(texts: Sequence[str]) -> tuple[Wanted, ...]:
    """Read what the user wrote: NAME, a folder, NAME=FOLDER, NAME=FILE or NAME=FILE,FILE.

    Raises:
        InputError: there is none, or two have one name.
    """
    if not texts:
        raise InputError("There are no encoders to compare.", "Name some with --encoder.")
    found: dict[str, Wanted] = {}
    for each in map(_one, texts):
        if each.folder in found:
            raise InputError(
                f"Two encoders are called {each.name!r}, or nearly so.",
                "Give each once; write NAME=FILE for vectors of another name.",
            )
        found[each.folder] = each
    return tuple(found.values())


def _one(text: str) -> Wanted:
    name, equals, files = text.partition("=")
    if not (name and equals) or Path(text).exists():  # A path may have a "=" in it.
        check_encoder_name(text)
        folder = Path(text).expanduser()
        return Wanted(folder.resolve().name if folder.is_dir() else text, text)
    paths = tuple(Path(file.strip()) for file in files.split(",") if file.strip())
    if len(paths) == 1 and (paths[0] / "config.json").is_file():
        return Wanted(name, str(paths[0]))
    if not 1 <= len(paths) <= 2:
        raise InputError(
            f"{text!r} names {len(paths)} files.",
            "Write NAME=FOLDER for an encoder, or NAME=FILE for vectors of the index; in "
            "NAME=FILE,FILE the second one is of labelled papers.",
        )
    return Wanted(name, None, paths)
