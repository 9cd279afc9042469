"""Write corpora with known links as the files that people have, and read them back."""
