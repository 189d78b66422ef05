"""Measurements of Craton itself: `make bench`, or `python -m bench [ROOM…]`. Numbers are printed, never asserted."""
