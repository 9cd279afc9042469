"""A map that stands alone: a page with gaps, picture and table, or the picture with its style."""

from collections.abc import Callable, Mapping

from recsys.mapping.map_values import Map
from recsys.mapping.node_table import map_gaps, map_table
from recsys.mapping.svg_picture import MAP_CSS, escaped, map_svg

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{css}body {{ margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 64rem; background: #fff;
  color: #1c2024; font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.3rem; line-height: 1.25; margin: 0 0 .75rem; }}
h2 {{ font-size: 1rem; margin: 1.25rem 0 .25rem; }}
.map-gaps {{ margin: 0 0 1rem; }}
a {{ color: #0b57a4; text-decoration-thickness: 1px; text-underline-offset: .15em; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #15181c; color: #e6e9ed; }}
  a {{ color: #8ec1ff; }}
}}
</style>
</head>
<body>
<main>
<h1 dir="auto">{title}</h1>
<h2>Widest gaps</h2>
{gaps}<div class="map-frame">
{picture}</div>
<h2>The same as a table</h2>
{table}</main>
</body>
</html>
"""


def map_page(map_: Map) -> str:
    """Write a whole HTML page: no script, nothing loaded."""
    return _PAGE.format(
        title=escaped(map_.title) or "Map of a draft",
        css=MAP_CSS,
        gaps=map_gaps(map_),
        picture=map_svg(map_),
        table=map_table(map_),
    )


def map_file(map_: Map) -> str:
    """Write the picture as an SVG file, with its style inside."""
    opening, newline, rest = map_svg(map_).partition("\n")
    return f"{opening}{newline}<style>\n{MAP_CSS}</style>\n{rest}"


MAP_FORMATS: Mapping[str, Callable[[Map], str]] = {".html": map_page, ".svg": map_file}
"""What a file's ending says of how a map is written."""
