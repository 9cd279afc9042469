"""Fields as programs print them: names, venues, keywords, abstracts; their exports rewritten."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recsys.formats.work_stream import Found, open_works
from tests.rows import each_row

FILES = Path(__file__).parent / "fields"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FILES / "expected.json").read_text("utf-8"))


@each_row(("name", "expected"), EXPECTED.items())
def test_fields_are_read_or_said_to_be_unsure(name: str, expected: Mapping[str, Any]) -> None:
    with open_works(FILES / name) as stream:
        items = list(stream.items)
    works = [item.work for item in items if isinstance(item, Found)]
    assert len(works) == len(items), "No record is rejected."
    for work, told in zip(works, expected["works"], strict=True):
        values = {field: getattr(work, field) for field in told}
        lists = {field: list(value) for field, value in values.items() if isinstance(value, tuple)}
        assert values | lists == told
    assert dict(stream.oddities) == expected.get("remarks", {})
