"""Evidence: what makes a verdict count. Proofs are checked again, counterexamples run again."""
