"""A minimal site of django-allauth: the output of `django-admin startproject` with the documented headless
installation, without the parts that serve pages."""

DEBUG = False
# A fixed secret, because the site is deleted after the measurement.
SECRET_KEY = "a secret of a site that only answers its own measurement"
ALLOWED_HOSTS = ["localhost"]
ROOT_URLCONF = "urls"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "allauth",
    "allauth.account",
    "allauth.headless",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "site.db",
        # Keeps the connection: the default opens the file again for every request.
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "init_command": "PRAGMA journal_mode = WAL",
            # A write waits for the lock instead of failing at once.
            "transaction_mode": "IMMEDIATE",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True

HEADLESS_ONLY = True
HEADLESS_CLIENTS = ("browser",)
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*"]
# There is no mail server; the other peer does not verify addresses either.
ACCOUNT_EMAIL_VERIFICATION = "none"
# Disabled, as in our program, because all requests come from one address.
ACCOUNT_RATE_LIMITS = False
