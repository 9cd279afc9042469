"""All checks: one literal table."""

from collections.abc import Mapping

from tests.web_check.browser import BROWSER
from tests.web_check.findings import Check
from tests.web_check.forms import FORMS
from tests.web_check.hostile import HOSTILE
from tests.web_check.load import LOAD
from tests.web_check.schema import SCHEMA

CHECKS: Mapping[str, Check] = {each.name: each for each in (HOSTILE, FORMS, SCHEMA, BROWSER, LOAD)}
"""In the order in which they run."""
