"""What can be known of memory before anything is lowered, and how objects are laid out in it.

Reading order: `scan` (what is reachable, what needs memory), `places` (classes of memory cells), `points_to` with
`library_calls` (which place a pointer means), `layout` (regions and addresses), `lifetimes`, `occupancy` and `scopes`
(when locals live, and who shares memory with whom).
"""
