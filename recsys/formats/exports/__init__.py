"""What other programs export or keep: tagged text, tables, libraries, PDFs, lists of references."""
