"""Published figures of SPECTER on the data of SciDocs, as they were printed."""

from collections.abc import Mapping

from recsys.eval.studies.scidocs.scidocs_figures import COLUMNS, Column

UNKNOWN = "-"
PUBLISHED: Mapping[str, Mapping[Column, str]] = {
    name: {
        column: figure
        for column, figure in zip(COLUMNS, figures.split(), strict=True)
        if figure != UNKNOWN
    }
    for name, figures in {
        # Cohan et al. 2020: random vectors, so the other features alone.
        "random (paper)": "- - - - - - - - - - 51.3 16.8",
        # README of SciDocs, the original model.
        "SPECTER (README)": "81.95 86.44 83.63 91.5 84.46 92.39 88.3 94.88 88.11 94.77 53.9 20.0",
        # README of SPECTER, the model on the Hugging Face hub.
        "SPECTER (hub)": "79.4 87.7 83.4 91.4 85.1 92.7 92.0 96.6 88.0 94.7 54.6 20.9",
    }.items()
}
"""Name -> figure of each column that is known."""
