-- Account, first schema. The same tables stand in migrations/postgres; only the column types differ.
-- Times are milliseconds since 1970 UTC. Ids are UUIDv7. Tokens, session ids and device cookies are
-- stored as their SHA-256, so that a copy of this file opens nothing.

-- One row a person. Removed after lifetimes.unverified_account when never verified.
CREATE TABLE accounts (
  id                   BLOB    NOT NULL PRIMARY KEY,
  email                TEXT    NOT NULL,          -- as the person wrote it, trimmed; mail goes here
  email_key            TEXT    NOT NULL,          -- for comparison: without regard to case
  username             TEXT    NOT NULL,
  username_key         TEXT    NOT NULL,
  password_hash        TEXT    NOT NULL,          -- PHC string, Argon2id
  password_changed_at  INTEGER NOT NULL,
  language             TEXT    NOT NULL,
  region               TEXT    NOT NULL,          -- the region (brand) of registration: mails follow it
  country              TEXT    NOT NULL,
  zipcode              TEXT    NOT NULL,
  birthday             TEXT    NOT NULL,          -- YYYY-MM-DD
  first_name           TEXT,
  last_name            TEXT,
  marketing_consent    INTEGER NOT NULL,          -- 0 or 1
  marketing_consent_at INTEGER NOT NULL,          -- when that answer was given
  email_verified_at    INTEGER,                   -- NULL: cannot sign in yet
  first_sign_in_at     INTEGER,                   -- NULL: the next sign-in enrols its device
  created_at           INTEGER NOT NULL,
  CONSTRAINT accounts_email_key UNIQUE (email_key),
  CONSTRAINT accounts_username_key UNIQUE (username_key)
) STRICT;
CREATE INDEX accounts_unverified ON accounts (created_at) WHERE email_verified_at IS NULL;

-- Earlier password hashes, newest first by replaced_at; trimmed to security.password_history.
CREATE TABLE password_history (
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  password_hash TEXT    NOT NULL,
  replaced_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, replaced_at, password_hash)
) STRICT;

-- Browsers that proved that they belong to the account's holder (contract 3, Devices).
CREATE TABLE devices (
  id           BLOB    NOT NULL PRIMARY KEY,
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  cookie_hash  BLOB    NOT NULL,
  name         TEXT    NOT NULL,                  -- our own phrase: "Firefox on Windows"
  enrolled_at  INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  CONSTRAINT devices_cookie_key UNIQUE (account_id, cookie_hash)
) STRICT;

CREATE INDEX devices_use ON devices (last_used_at);

CREATE TABLE sessions (
  id_hash      BLOB    NOT NULL PRIMARY KEY,
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  device_id    BLOB    NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,                  -- moved forward in steps, see store/sessions.rs
  idle_until   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL                   -- absolute end, never moved
) STRICT;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_device ON sessions (device_id);
CREATE INDEX sessions_idle ON sessions (idle_until);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Mailed links and other one-time secrets. `subject_id` is an account, or for the two migration
-- purposes a legacy account. `email` binds the token to the address it speaks of.
CREATE TABLE tokens (
  token_hash  BLOB    NOT NULL PRIMARY KEY,
  purpose     TEXT    NOT NULL,
  subject_id  BLOB    NOT NULL,
  email       TEXT,
  device_hash BLOB,                               -- cookie hash of the browser that asked
  device_name TEXT,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL,
  spent_at    INTEGER
) STRICT;
CREATE INDEX tokens_subject ON tokens (subject_id, purpose);
CREATE INDEX tokens_expiry ON tokens (expires_at);

-- Accounts of the older system, waiting for their people (contract 4).
CREATE TABLE legacy_accounts (
  id                BLOB    NOT NULL PRIMARY KEY,
  email             TEXT    NOT NULL,
  email_key         TEXT    NOT NULL,
  username          TEXT,
  username_key      TEXT,                         -- reserved while the account waits
  password_hash     TEXT,                         -- in a form that legacy/hash.rs knows
  first_name        TEXT,
  last_name         TEXT,
  country           TEXT,
  birthday_day      INTEGER,
  birthday_month    INTEGER,
  birthday_year     INTEGER,
  zipcode           TEXT,
  marketing_consent INTEGER,
  language          TEXT,
  legacy_id         TEXT,
  created_at        INTEGER,
  imported_at       INTEGER NOT NULL,
  row_hash          BLOB    NOT NULL,             -- of the imported row: tells unchanged from updated
  invited_at        INTEGER,
  opened_at         INTEGER,
  migrated_at       INTEGER,
  account_id        BLOB,                         -- the account it became
  refused_at        INTEGER,                      -- under age: kept for later
  bounced_at        INTEGER,
  unsubscribed_at   INTEGER,
  CONSTRAINT legacy_accounts_email_key UNIQUE (email_key)
) STRICT;
CREATE INDEX legacy_accounts_username ON legacy_accounts (username_key) WHERE migrated_at IS NULL;

-- Mails to be sent. Holds no token: the worker makes it when it sends, so that neither this table
-- nor the write-ahead log ever contains a working link.
CREATE TABLE outbox (
  id            BLOB    NOT NULL PRIMARY KEY,
  kind          TEXT    NOT NULL,
  subject_id    BLOB    NOT NULL,
  recipient     TEXT    NOT NULL,
  language      TEXT    NOT NULL,
  region        TEXT    NOT NULL,
  details       TEXT    NOT NULL,                 -- JSON: what the letter needs besides its link
  created_at    INTEGER NOT NULL,
  due_at        INTEGER NOT NULL,                 -- next try; pushed forward while a worker holds the row
  attempts      INTEGER NOT NULL,
  failed_at     INTEGER,                          -- given up; kept for the operator until swept
  last_error    TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE failed_at IS NULL;
CREATE INDEX outbox_subject ON outbox (subject_id, kind);

-- Mails kept for reading at /account/dev/mail while no SMTP server is set. Development only.
CREATE TABLE kept_mail (
  id         BLOB    NOT NULL PRIMARY KEY,
  recipient  TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  html       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX kept_mail_age ON kept_mail (created_at);

-- Counters of the named limits. The key is a keyed hash: no address stands here.
CREATE TABLE limits (
  key     BLOB    NOT NULL PRIMARY KEY,
  hits    INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX limits_end ON limits (ends_at);

-- Keys of this installation, made at the first start and shared by all nodes.
CREATE TABLE secrets (
  name  TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
