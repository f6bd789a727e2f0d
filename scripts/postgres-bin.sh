#!/usr/bin/env bash
# Prints the folder of PostgreSQL's server programs (initdb, postgres); exit 1 when there is none.
# Debian keeps them outside PATH, one folder per version; the newest one is used.
set -euo pipefail

candidates=()
if initdb=$(command -v initdb); then candidates+=("$(dirname "$(realpath "$initdb")")"); fi
if command -v pg_config >/dev/null; then candidates+=("$(pg_config --bindir)"); fi
while IFS= read -r folder; do candidates+=("$folder"); done \
    < <(printf '%s\n' /usr/lib/postgresql/*/bin /usr/pgsql-*/bin | sort -rV)

for folder in "${candidates[@]}"; do
    if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then
        echo "$folder"
        exit 0
    fi
done
exit 1
