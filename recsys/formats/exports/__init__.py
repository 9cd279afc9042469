"""Text that databases export: a tag and a fact on each line."""
