"""Files that were given to the page, read in processes that can be killed."""
