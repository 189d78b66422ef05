"""A solver that shows contradictions by looking at all cases: truth tables, all rows of which are computed at once.

Programs that people write for a try read a day, a year, a character, two numbers up to 30: some thousand cases. To
solvers a quotient by 400 is some thousand gates, which they learn about clause by clause; here a gate is one operation
on long numbers whose i-th bit is its value in case i. It never says *satisfiable*: what it cannot show is undecided.
docs/solvers.md argues why it is sound.

Reading order: `gates` (operations on bits), `cases` (which cases there are), `solver` (the contract).
"""
