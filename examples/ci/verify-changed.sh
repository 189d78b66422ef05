#!/bin/sh
# Verifies each file that is named; fails on violations and bad input, and passes what could not be decided.
#   examples/ci/verify-changed.sh $(git diff --name-only --diff-filter=d main -- '*.c')
worst=0
for file in "$@"; do
  craton verify "$file" --time-limit 60
  case $? in
    0 | 3) ;;
    *) worst=1 ;;
  esac
done
exit $worst
