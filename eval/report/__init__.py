"""Pages of results: tables and pictures, as HTML, Markdown, JSON and LaTeX."""
