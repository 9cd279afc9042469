"""Tables as programs export them: headers as documented, works invented.

Scopus: https://rdrr.io/cran/bibnets/man/read_scopus.html. Dimensions:
https://rdrr.io/cran/bibnets/man/read_dimensions.html and
https://aurelien-goutsmedt.com/post/extracting-biblio-data-2/ (parts of a cited reference). Lens:
https://support.lens.org/knowledge-base/scholar-field-definition/ and
https://rdrr.io/cran/bibnets/man/read_lens.html. Web of Science:
https://rdocumentation.org/packages/bibliometrix/versions/4.3.2/topics/convert2df (field tags).
OpenAlex: https://github.com/massimoaria/bibliometrix/blob/master/R/csvOA2df.R (column names).
"""

import json
from pathlib import Path
from typing import NamedTuple

from recsys.formats.references.bibliography import work_of
from recsys.records import Reference


class Export(NamedTuple):
    """A table, and the works that it holds."""

    text: str
    works: tuple[Reference, ...]


_FOLDER = Path(__file__).with_name("tables")
EXPORTS = {
    name: Export((_FOLDER / row["file"]).read_bytes().decode(), tuple(map(work_of, row["works"])))
    for name, row in json.loads((_FOLDER / "works.json").read_text(encoding="utf-8")).items()
}
