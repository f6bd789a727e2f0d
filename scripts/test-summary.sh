#!/usr/bin/env bash
# Usage: test-summary.sh FOLDER
# The end of `make test`: names the targets that failed (FOLDER/failed), then prints the last lines of each runner. Exits
# with 1 if a target failed.
set -euo pipefail
cd "$1"

for runner in web rust browser; do
    result=passed
    [ -e "$runner.log" ] || result='not started'
    ! grep -qsx "test-$runner" failed || result=FAILED
    printf '\n==> make test-%s: %s\n' "$runner" "$result"
    [ ! -e "$runner.log" ] || tail -n 5 "$runner.log"
done
if [ -e failed ]; then
    printf '\nFAILED: make %s\n' "$(tr '\n' ' ' <failed)"
    exit 1
fi
