"""`python -m craton` is `craton`."""

import sys

from craton.cli import main

sys.exit(main())
