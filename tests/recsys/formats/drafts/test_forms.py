"""What short drafts of every format say: a table in a file, each row with what is checked of it."""

import json
from dataclasses import asdict
from pathlib import Path

from recsys.formats.drafts.draft_files import bundle_of
from recsys.formats.drafts.draft_formats import parse_draft
from tests.rows import each_row

FILES = Path(__file__).with_name("files")
BIB = FILES.joinpath("refs.bib").read_bytes()


@each_row(("name", "text", "said"), json.loads(FILES.joinpath("forms.json").read_bytes()))
def test_a_draft_says_what_its_format_means(name: str, text: str, said: dict[str, object]) -> None:
    files = {name: text.encode(), "refs.bib": BIB}
    found = parse_draft(files[name], Path(name), bundle_of(name, files)).manuscript
    note = said.get("note")
    notes = " ".join(found.notes)
    told = {
        **json.loads(json.dumps(asdict(found))),
        "keys": [work.key for work in found.references],
        "note": note if str(note) in notes else notes,
    }
    assert {field: told[field] for field in said} == said
