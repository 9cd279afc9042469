def tidy_title(t): return t
def tidy_abstract(t): return t
