"""The parts of a document of Word: styles, paragraphs, and what is anchored in them."""
