"""The commands of `craton`, one file each: `add_to(subparsers)` says how it is called, `run(args)` does it."""
