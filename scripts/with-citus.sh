#!/usr/bin/env bash
# Usage: with-citus.sh COMMAND [ARG…]
# Runs COMMAND with a private Citus cluster: a coordinator, whose address is in ACCOUNT_TEST_POSTGRES_URL, and two workers.
# The tests then place the tables by deploy/citus.sql (ACCOUNT_TEST_CITUS).
set -euo pipefail
if ! bin=${ACCOUNT_CITUS_BIN:-$("$(dirname "$0")/postgres-bin.sh")}; then
    echo "PostgreSQL's server is missing (initdb, postgres); on Debian: apt-get install postgresql" >&2
    exit 1
fi
if [ ! -e "$("$(dirname "$bin")/bin/pg_config" --pkglibdir 2>/dev/null || echo "$bin/../lib")/citus.so" ]; then
    echo "the extension Citus 13 or newer is missing for $bin; https://docs.citusdata.com has packages" >&2
    exit 1
fi

home=$(mktemp -d "${TMPDIR:-/tmp}/account-citus.XXXXXX")
as_owner=()
if [ "$(id -u)" = 0 ]; then
    as_owner=(setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$home")
    chown postgres: "$home"
fi
members=(0 1 2)
first_port=$((20000 + RANDOM % 9000))
stop() {
    trap - EXIT INT TERM HUP
    for member in "${members[@]}"; do
        "${as_owner[@]}" "$bin/pg_ctl" -D "$home/$member" -m immediate stop >/dev/null 2>&1 || true
    done
    rm -rf "$home"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

run_sql() { "$(command -v psql)" --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 "$@" >/dev/null; }
for member in "${members[@]}"; do
    port=$((first_port + member))
    (cd / && "${as_owner[@]}" "$bin/initdb" -D "$home/$member" -A trust -U account --encoding=UTF8 --locale=C --no-sync >/dev/null)
    "${as_owner[@]}" tee -a "$home/$member/postgresql.conf" >/dev/null <<C
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
citus.shard_count = 4
citus.multi_shard_modify_mode = 'sequential'
max_connections = 300
max_prepared_transactions = 300
max_locks_per_transaction = 256
wal_level = logical
fsync = off
timezone = UTC
C
    if ! (cd / && "${as_owner[@]}" "$bin/pg_ctl" -D "$home/$member" -l "$home/$member/log" -w start >/dev/null); then
        tail -n 3 "$home/$member/log" >&2
        exit 1
    fi
    run_sql "postgres://account@127.0.0.1:$port/postgres" --command 'CREATE EXTENSION citus'
done
coordinator=postgres://account@127.0.0.1:$first_port/postgres
run_sql "$coordinator" --command "SELECT citus_set_coordinator_host('127.0.0.1', $first_port)"
for member in 1 2; do
    run_sql "$coordinator" --command "SELECT citus_add_node('127.0.0.1', $((first_port + member)))"
done

status=0
ACCOUNT_TEST_CITUS=1 ACCOUNT_TEST_POSTGRES_URL=$coordinator "$@" || status=$?
# Errors that Citus adds to those of PostgreSQL, even if the program repeated the transaction.
refusals=$(grep -hE 'ERROR:.*(distributed|could not run|not supported|partition)' "$home"/*/log | grep -v deadlock || true)
[ -z "$refusals" ] || sort <<<"$refusals" | uniq -c
echo "statements that Citus refused: $(grep -c . <<<"$refusals" || true)"
echo "transactions that ended in a deadlock: $(cat "$home"/*/log | grep -c 'ERROR:.*deadlock' || true)"
exit "$status"
