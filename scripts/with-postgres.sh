#!/usr/bin/env bash
# Usage: with-postgres.sh COMMAND [ARG…]
# Runs COMMAND with a private PostgreSQL server whose address is in ACCOUNT_TEST_POSTGRES_URL, and
# always removes the server with all its data afterwards. If the caller has set that variable, the
# server it names is used instead.
set -euo pipefail

# On a busy machine all time limits of the tests are multiplied by this factor.
ACCOUNT_TEST_SLOW=$("$(dirname "$0")/slowness.sh")
export ACCOUNT_TEST_SLOW
if [ "$ACCOUNT_TEST_SLOW" -gt 1 ]; then
    echo "The machine is busy: all time limits are multiplied by $ACCOUNT_TEST_SLOW (ACCOUNT_TEST_SLOW)" >&2
    export NEXTEST_PROFILE=${NEXTEST_PROFILE:-busy}
fi
if [ -n "${ACCOUNT_TEST_POSTGRES_URL:-}" ]; then exec "$@"; fi

if ! bin=$("$(dirname "$0")/postgres-bin.sh"); then
    echo "PostgreSQL's server is missing (initdb, postgres); on Debian: apt-get install postgresql" >&2
    exit 1
fi

# Not in the checkout, which PostgreSQL's user may not enter: PostgreSQL refuses to run as root. In memory where there
# is enough, because each test creates and drops a hundred files; so are the SQLite files of the tests. Measurements set
# TMPDIR to a folder on the disk.
if [ -z "${TMPDIR:-}" ]; then
    TMPDIR=/tmp
    memory=/dev/shm
    least_kib=4000000
    if [ -w "$memory" ] && [ "$(df --output=avail "$memory" | tail -n 1)" -ge "$least_kib" ]; then TMPDIR=$memory; fi
fi
export TMPDIR
home=$(mktemp -d "$TMPDIR/account-postgres.XXXXXX")
server=
stop() {
    trap - EXIT INT TERM HUP
    if [ -n "$server" ]; then kill -INT "$server" 2>/dev/null || true; wait "$server" || true; fi
    rm -rf "$home"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

as_owner=()
if command -v setpriv >/dev/null; then
    # The server ends with this script, even after kill -9.
    as_owner=(setpriv --pdeathsig=INT)
    if [ "$(id -u)" = 0 ]; then
        as_owner=(setpriv --reuid=postgres --regid=postgres --init-groups --pdeathsig=INT)
        chown postgres: "$home"
    fi
elif [ "$(id -u)" = 0 ]; then
    echo "setpriv (util-linux) is missing: PostgreSQL refuses to run as root" >&2
    exit 1
fi

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
(umask 077 && echo "$password" >"$home/password")
if [ "$(id -u)" = 0 ]; then chown postgres: "$home/password"; fi
if ! (cd "$home" && "${as_owner[@]}" "$bin/initdb" --pgdata="$home/data" --username=account \
    --pwfile="$home/password" --auth=md5 --encoding=UTF8 --locale=C --no-sync >"$home/initdb.log" 2>&1); then
    cat "$home/initdb.log" >&2
    exit 1
fi

# No fsync: the data is only needed while the command runs. For measurements set
# ACCOUNT_TEST_POSTGRES_FLAGS, empty for the server's defaults. 300 connections, because every test has its
# own pool.
read -ra flags <<<"${ACCOUNT_TEST_POSTGRES_FLAGS--c fsync=off -c synchronous_commit=off -c full_page_writes=off -c jit=off}"
# The eighth line of the server's pid file reports when it accepts connections.
start_on_port() {
    (cd "$home" && exec "${as_owner[@]}" "$bin/postgres" -D "$home/data" -p "$1" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= -c max_connections=300 -c timezone=UTC "${flags[@]}") >"$home/server.log" 2>&1 &
    server=$!
    for _ in $(seq $((300 * ACCOUNT_TEST_SLOW))); do
        if sed -n 8p "$home/data/postmaster.pid" 2>/dev/null | grep -q ready; then return 0; fi
        if ! kill -0 "$server" 2>/dev/null; then break; fi
        sleep 0.1
    done
    kill -QUIT "$server" 2>/dev/null || true
    wait "$server" || true
    server=
    return 1
}
# Below the range of ephemeral ports.
for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 10000))
    if start_on_port "$port"; then break; fi
    port=
done
if [ -z "$port" ]; then
    cat "$home/server.log" >&2
    exit 1
fi

# Tests leave their schemas on a private server for later tests (tests/support/schema.rs), and here an SQLite file with
# the empty schema (tests/support/database.rs).
export ACCOUNT_TEST_RUN_FOLDER=$home
export ACCOUNT_TEST_POSTGRES_URL="postgres://account:$password@127.0.0.1:$port/postgres"
status=0
"$@" || status=$?
# Tests that compare times write here what they saw on a machine that is too busy for a judgement.
if [ -e "$home/not-judged" ]; then
    echo "$(wc -l <"$home/not-judged") comparisons of times were not judged, because the machine is too busy:"
    cat "$home/not-judged"
fi
exit "$status"
