"""How sphinx builds these pages: `make docs`, without the network, warnings as errors."""

from recsys.store.artifacts import VERSION

project = "recsys"
author = "The recsys authors"
project_copyright = author
version = release = VERSION

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "made", "notes"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
highlight_language = "none"
smartquotes = False  # It would turn the dashes of --options into others.
# The blocks of JSON hold lines of JSON, which the lexer takes for one damaged value.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = f"recsys {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "tango"
pygments_dark_style = "github-dark"
