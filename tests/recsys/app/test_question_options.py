"""An option of a question is written down once: command line, page and API have it."""

import json
import subprocess
import sys

ADDED = """
import json
from dataclasses import dataclass
from typing import Annotated

from recsys.query import question_schema as schema

@dataclass(frozen=True, slots=True, kw_only=True)
class More(schema.QuestionOptions):
    open_access: Annotated[
        bool,
        schema.OptionSpec(flag="--open", help="Recommend free papers.", label="Free ones only"),
    ] = False
    fewest_cited: Annotated[
        int | None,
        schema.OptionSpec(flag="--fewest", help="As --open says.", least=1, most=9, label="Cited"),
    ] = None

schema.QuestionOptions = More

from recsys.app.cli import program
from recsys.app.web.api_models import RecommendationsBody
from recsys.app.web.form_fields import FormFields
from recsys.app.web.page_writing import Form, Site, render
from recsys.app.cli.options import Without

chosen = []

def ask(asked: Annotated[schema.QuestionOptions, Without()]) -> None:
    chosen.append(asked)

program.load = lambda name: ask
program.run(["recommend", "--open", "--fewest", "3", "--venue", "A", "--venue", "B"])
sent = [("open_access", "1"), ("fewest_cited", "3"), ("venues", "A\\nB")]
chosen.append(FormFields.read(sent).asked())
sent = {"open_access": True, "fewest_cited": 3, "filters": {"venues": ["A", "B"]}}
chosen.append(RecommendationsBody.model_validate(sent).options())
page = render("ask", Site({"x": ""}, "x"), form=Form(FormFields()), problem=None, tab="/")
properties = RecommendationsBody.model_json_schema()["properties"]
print(json.dumps([
    [[each.open_access, each.fewest_cited, each.venues] for each in chosen],
    'name="open_access"' in page and "Free ones only" in page and 'name="fewest_cited"' in page,
    properties["fewest_cited"],
]))
"""


def test_an_option_that_is_added_is_on_the_command_line_the_page_and_in_the_api() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ADDED], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    values, on_page, described = json.loads(done.stdout)
    assert values == [[True, 3, ["A", "B"]]] * 3
    assert on_page
    assert described["description"] == "As `open_access` says."
    bounds = {"type": "integer", "minimum": 1, "maximum": 9}
    assert described["anyOf"] == [bounds, {"type": "null"}]
