"""Indexes of a few bytes: what brings them to a store looks at no more than names and hashes."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from recsys.pipelines.jobs.index_writer import writing
from recsys.store.generations import pin

FILES = {
    "corpus/papers.parquet": b"papers" * 100,
    "corpus/ids.npy": b"",
    "encoder/manifest.json": b"{}",
    "encoder/model.onnx": b"model" * 1000,
    "text/postings.npy": b"postings",
}
LANCE = {"vectors/papers.lance/data/1.lance": b"on the store", "vectors/given.npy": b"here"}


def make_index(index: Path, files: Mapping[str, bytes] = FILES) -> Path:
    """Put a generation with these files in force in an index, which may be there already."""
    work = index.with_name(f"{index.name}.files")
    for name, content in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    with writing(index, new=True) as writer:
        members = {name: work / name for name in sorted({name.split("/")[0] for name in files})}
        writer.commit(members, {"papers": len(files)})
    shutil.rmtree(work)
    return index


def files_of(index: Path) -> dict[str, bytes]:
    """Read the files of the generation in force, without what tells of them."""
    with pin(index) as folder:
        own = {folder / "manifest.json", folder / "remote.json"}
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path not in own
        }
