"""What analyses with an abstract reachability graph share: predicate analysis, value analysis, and both in one.

Reading order: `domain` (what an analysis says about its states), `graph` (the graph, covering, cutting), `unwinding`
(the CEGAR loop).
"""
