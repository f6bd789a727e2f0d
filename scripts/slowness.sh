#!/usr/bin/env bash
# Prints the factor by which this machine is slower for the tests than an idle machine: 1, or at most 20. The factor is
# in ACCOUNT_TEST_SLOW if that is set; otherwise a busy loop per processor measures for a second which share of the
# processors other programs, and the limits of a container, leave to the tests.
set -euo pipefail
if [ -n "${ACCOUNT_TEST_SLOW:-}" ]; then
    echo "$ACCOUNT_TEST_SLOW"
    exit
fi
processors=$(getconf _NPROCESSORS_ONLN)
measure() {
    for _ in $(seq "$processors"); do timeout 1 bash -c 'while :; do :; done' & done
    wait
}
TIMEFORMAT='%R %U %S'
times=$({ time measure; } 2>&1)
awk -v processors="$processors" '{
    share = ($2 + $3) / ($1 * processors)
    factor = share < 0.8 ? 2 + int(1 / (share + 0.001)) : 1
    print (factor > 20 ? 20 : factor)
}' <<<"$times"
