"""Certificates: evidence as files that stand for themselves. The format and its soundness: `docs/certificates.md`.

`format` is the typed data, `reading` and `format1` take it from files and believe nothing, `writing` makes them,
`task` compares what a certificate is about with what the user asks, `formulas` and `values` give its texts meaning,
`checking` decides.
"""
