"""Stage two: evidence on each candidate, features, scores, chances and reasons in words."""
