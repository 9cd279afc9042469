"""Take LaTeX apart: its files, commands and definitions, front matter, citations and lists."""
