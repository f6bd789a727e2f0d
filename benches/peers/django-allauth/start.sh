#!/bin/sh
# Usage: start.sh PORT, in an empty folder. The environment is the one that `make bench-peers` made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$here/../../../target/peers/django-allauth/bin/python
export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 DJANGO_SETTINGS_MODULE=settings
"$python" -m django migrate --verbosity 0
# What takes the least: gunicorn's sync worker ends every connection after one answer, and under uvicorn
# Django starts a thread for every request.
exec "$python" -m gunicorn --bind "127.0.0.1:$1" --workers 1 --worker-class gthread \
    --log-level warning --no-control-socket 'django.core.wsgi:get_wsgi_application()'
