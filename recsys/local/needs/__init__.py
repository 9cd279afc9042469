"""Judge which sentences need a citation."""
