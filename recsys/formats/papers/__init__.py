"""Papers of a corpus, as several programs write them; one row of a table each."""
