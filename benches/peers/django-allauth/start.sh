#!/bin/sh
# Usage: start.sh PORT, in an empty folder. Uses the Python environment of `make bench-peers`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$here/../../../target/peers/django-allauth/bin/python
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 DJANGO_SETTINGS_MODULE=settings
"$python" -m django migrate --verbosity 0
# The cheapest configuration that can be measured: gunicorn's sync worker closes the connection after each response, and
# under uvicorn Django starts a thread for every request.
exec "$python" -m gunicorn --bind "127.0.0.1:$1" --workers 1 --worker-class gthread \
    --log-level warning --no-control-socket 'django.core.wsgi:get_wsgi_application()'
