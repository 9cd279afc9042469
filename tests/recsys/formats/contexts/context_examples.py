"""An invented file of each format of citing sentences, as its documentation describes it."""

import json
from collections.abc import Mapping
from pathlib import Path

SAID = "Owls hunt voles at night."
EXAMPLES: Mapping[str, str] = {
    path.name.replace("-", " "): path.read_bytes().decode()
    for path in sorted(Path(__file__).with_name("files").iterdir())
}
OWN, MASKED = EXAMPLES["own"], EXAMPLES["masked"]


def lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
