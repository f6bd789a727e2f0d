#!/bin/sh
# Usage: start.sh PORT, in an empty folder.
set -eu
exec env NODE_ENV=production node "$(dirname "$0")/server.mjs" "$1"
