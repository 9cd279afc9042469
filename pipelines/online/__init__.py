"""Ask the open sources of the web for works: politely, with a plan, and never unasked."""
