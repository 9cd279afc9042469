"""Stage one: several sources propose papers, the most promising become candidates."""
