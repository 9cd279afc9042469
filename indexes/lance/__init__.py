"""Search by LanceDB: vectors and words as tables of an engine, here or on an object store."""
