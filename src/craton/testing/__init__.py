"""Testing: programs are run on inputs drawn from seeds, which costs little and goes deep.

No engine in the sense of the contract: it needs the whole program, and gives inputs instead of a trace. It stands above
engines and evidence, since it both searches and uses what confirms a run; the spine calls it as one of its stages.
`compiled` runs the program itself, where there is a compiler, on inputs from seeds or such as other runs have taught
(`guided`); `interpreted` runs the automaton.
"""
