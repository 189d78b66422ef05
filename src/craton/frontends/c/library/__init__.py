"""Functions without a body that Craton knows: a table of records, one for each name."""
