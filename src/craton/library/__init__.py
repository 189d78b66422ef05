"""Craton for programs in Python and for notebooks: what is asked about (`subject`), and what comes of it (`result`)."""
