"""Works as reference files tell them, made by hypothesis."""

from hypothesis import strategies as st

from recsys.records import Reference

words = st.text(max_size=20)
references = st.builds(
    Reference,
    title=st.none() | st.text(min_size=1, max_size=20),
    authors=st.lists(words, max_size=2).map(tuple),
    year=st.none() | st.integers(1900, 2030),
    doi=st.none() | st.just("10.1/x"),
    ids=st.lists(st.sampled_from(["openalex:W1", "s2:a"]), max_size=2).map(tuple),
)
