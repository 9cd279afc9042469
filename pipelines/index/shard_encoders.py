"""What encodes the shards of a corpus: this process, with threads, or the processes of an engine.

Both compute each text, or batch of texts of a shard, by itself and on one thread: the vectors are
the same.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeAlias

from recsys.models.encoder import OnnxEncoder, Text
from recsys.pipelines.jobs.engines import Engine, Shards, Stage
from recsys.protocols import Encoder
from recsys.store.arrays import Floats

STAGE = "encode papers"

Texts: TypeAlias = Sequence[Text]


class ShardEncoder(Protocol):
    """Encodes shards of texts. fingerprint, dim: of the encoder, as `Encoder` has them."""

    @property
    def fingerprint(self) -> str:
        """Tell the encoder, its settings included."""
        ...

    @property
    def dim(self) -> int:
        """Give the length of a vector."""
        ...

    def encode_shards(self, shards: Shards[Texts]) -> Generator[tuple[int, Floats], None, None]:
        """Yield (position of the shard, (s, d) float32 of its texts) as they come."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """Encodes in this process, shard after shard."""

    encoder: Encoder

    @property
    def fingerprint(self) -> str:
        """Tell the encoder."""
        return self.encoder.fingerprint

    @property
    def dim(self) -> int:
        """Give the length of a vector."""
        return self.encoder.dim

    def encode_shards(self, shards: Shards[Texts]) -> Generator[tuple[int, Floats], None, None]:
        """Do as `ShardEncoder.encode_shards` says; they come in order."""
        for position, texts in enumerate(shards):
            yield position, self.encoder.encode(texts)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Encodes by an engine. The encoder's files are sent: no disk need be in common.

    folder: an exported encoder.
    """

    folder: Path
    engine: Engine
    fingerprint: str
    dim: int

    def encode_shards(self, shards: Shards[Texts]) -> Generator[tuple[int, Floats], None, None]:
        """Do as `ShardEncoder.encode_shards` says."""
        files = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        on_gpu = partial(_encode, files, gpu=True)
        return self.engine.map(Stage(STAGE, partial(_encode, files), on_gpu), shards)


@dataclass(frozen=True, slots=True)
class LazyShards:
    """Shards that are read when they are iterated over. length: how many they are."""

    read: Callable[[], Iterator[Texts]]
    length: int

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Texts]:
        return self.read()


def shard_encoder(folder: Path, engine: Engine, *, threads: int | None = None) -> ShardEncoder:
    """Open an exported encoder for the processors that an engine has.

    On one machine that is threads: they share one model in memory, and start at once.

    Raises:
        ArtifactError: see `OnnxEncoder.load`.
    """
    if engine.here:
        return Here(OnnxEncoder.load(folder, threads=threads))
    encoder = OnnxEncoder.load(folder, threads=1)  # Damage is found before anything is sent.
    return Elsewhere(folder, engine, encoder.fingerprint, encoder.dim)


def _encode(files: Mapping[str, bytes], *, gpu: bool = False) -> Callable[[Texts], Floats]:
    """Open an encoder in a process of an engine, from what was sent."""
    with TemporaryDirectory(prefix="recsys-") as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        return OnnxEncoder.load(Path(folder), threads=1, gpu=gpu).encode
