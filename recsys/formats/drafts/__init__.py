"""Read a draft as its author has it: JSON, LaTeX, Markdown, plain text, PDF, a reading list."""
