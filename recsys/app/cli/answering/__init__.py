"""Commands that answer drafts as wholes: lists of papers, and a map of them."""
