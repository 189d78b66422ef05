"""From `syntax` to automata."""
