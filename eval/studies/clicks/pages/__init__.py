"""Pages and pictures of what click logs tell."""
