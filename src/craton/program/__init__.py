"""The program model: statements, control-flow automata, passes and the interpreter."""
