"""The page and the API of `recsys serve`: one Starlette application over open indexes."""
