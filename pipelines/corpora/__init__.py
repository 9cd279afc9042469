"""Make corpora out of what people have: exports, libraries, folders of PDFs."""
