"""Tables of LanceDB on an object store: a server of S3 on the loopback."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recsys.errors import ArtifactCorrupt, ArtifactMissing, SourceUnreachable
from recsys.indexes.backends import build_index, build_words, open_built, open_words
from recsys.store.artifacts import REMOTE
from recsys.store.terms import TermStore
from tests.indexes.small_indexes import random_vectors
from tests.pipelines.remote.store_server import BUCKET, folder_at, served

pytestmark = pytest.mark.area("lance")

PLACE = "my.index/generations/3"


@pytest.fixture(autouse=True)
def store() -> Iterator[None]:
    """Serve a store, named by the usual variables."""
    with served():
        yield


def moved(generation: Path) -> None:
    """Bring the tables of a generation to the store, as a push does, and note where."""
    folder = folder_at(PLACE)
    for table in generation.glob("*/*.lance"):
        for path in table.rglob("*"):
            if path.is_file():
                folder.send(path.relative_to(generation).as_posix(), path)
        shutil.rmtree(table)
    (generation / REMOTE).write_text(json.dumps({"uri": folder.address.below("")}))


def test_tables_on_a_store_answer_as_those_in_a_folder(tmp_path: Path) -> None:
    vectors, years = random_vectors(300), np.arange(300).astype(np.int16)
    store = TermStore.build([("ant bee", None), ("bee", "cat"), ("dog", None)])
    places = tmp_path / "vectors", tmp_path / "text"
    for place in places:
        place.mkdir()
    store.save(places[1])
    facts = build_index("lance", vectors, places[0], years=years)
    words = build_words("lance", store, places[1])
    query, allowed = store.query("bee dog", None), years <= 200

    def answers() -> list[list[float]]:
        found = open_built(vectors, places[0], facts).search(vectors[9], 7, allowed=allowed)
        matched = open_words(store, places[1], words).search(query, 3)
        return [each.tolist() for each in (*found, *matched)]

    before = answers()
    moved(tmp_path)
    assert answers() == before


def test_a_store_that_is_not_there_is_said_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, place = random_vectors(30), tmp_path / "vectors"
    place.mkdir()
    facts = build_index("lance", vectors, place)
    moved(tmp_path)
    (tmp_path / REMOTE).write_text(json.dumps({"uri": f"s3://{BUCKET}/elsewhere"}))
    with pytest.raises(ArtifactMissing, match=f"s3://{BUCKET}/elsewhere/vectors"):
        open_built(vectors, place, facts)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match="AWS_ENDPOINT_URL"):
        open_built(vectors, place, facts)
    (tmp_path / REMOTE).write_text("[]")
    with pytest.raises(ArtifactCorrupt, match="does not say where"):
        open_built(vectors, place, facts)


def test_the_usual_variables_are_told() -> None:
    from recsys.indexes.lance.lance_places import storage_options  # lancedb takes seconds.

    told = storage_options(
        {"AWS_ENDPOINT_URL": "http://localhost:9", "AWS_DEFAULT_REGION": "eu", "AWS_REGION": ""}
    )
    assert (told["aws_endpoint"], told["aws_region"], told["allow_http"]) == (
        "http://localhost:9",
        "eu",
        "true",
    )
    assert "allow_http" not in storage_options({"AWS_ENDPOINT_URL": "https://store"})
    assert "aws_access_key_id" not in storage_options({})
