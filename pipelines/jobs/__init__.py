"""How long jobs run: in parallel, resumable after a kill, as programs with a cost."""
