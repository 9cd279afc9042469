"""Fetch the literature around a draft: a plan first, then rounds that follow its links."""
