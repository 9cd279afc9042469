"""Impressions as hypothesis invents them."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from recsys.eval.studies.clicks.click_log import Impression

NAMES = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=' ,"{}\\'), min_size=1
).filter(lambda name: name.isprintable() and name.strip() == name)
"""Any name that an impression may have."""
PAPERS = st.lists(NAMES, min_size=1, max_size=5, unique=True)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)) | st.datetimes(
    datetime(1970, 1, 2),
    datetime(2100, 1, 1),
    timezones=st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)


@st.composite
def impressions(draw: st.DrawFn) -> Impression:
    """Invent an impression, clicks in display order as a log gives them back."""
    shown = tuple(draw(PAPERS))
    flags = draw(st.lists(st.booleans(), min_size=len(shown), max_size=len(shown)))
    return Impression(
        query=draw(NAMES),
        shown=shown,
        clicked=tuple(paper for paper, click in zip(shown, flags, strict=True) if click),
        time=draw(st.none() | TIMES),
        user=draw(st.none() | NAMES),
        ranker=draw(st.none() | NAMES),
        swapped=draw(st.none() | st.integers(1, len(shown))),
    )


FULL = Impression(
    "q1", ("a", "b", "c"), ("c", "a"), datetime(2026, 11, 21, tzinfo=UTC), "reader", "bm25", 3
)
"""An impression of which everything is known."""
BARE = Impression("q2", ("c",))
"""An impression of which only the list is known."""
