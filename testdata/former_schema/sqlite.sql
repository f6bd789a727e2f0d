CREATE TABLE accounts (
  id                     BLOB    NOT NULL PRIMARY KEY,
  email                  TEXT    NOT NULL,
  email_key              TEXT    NOT NULL,
  email_verified_at      INTEGER,
  email_change_number    INTEGER NOT NULL DEFAULT 0,
  username               TEXT    NOT NULL,
  username_key           TEXT    NOT NULL,
  password_hash          TEXT    NOT NULL,
  password_changed_at    INTEGER NOT NULL,
  first_name             TEXT,
  last_name              TEXT,
  details_changed_at     INTEGER,
  birthday               TEXT    NOT NULL,
  country                TEXT    NOT NULL,
  zipcode                TEXT    NOT NULL,
  language               TEXT    NOT NULL,
  region                 TEXT    NOT NULL,
  marketing_consent      INTEGER NOT NULL,
  marketing_consent_at   INTEGER NOT NULL,
  created_at             INTEGER NOT NULL,
  first_sign_in_at       INTEGER,
  last_sign_in_at        INTEGER,
  inactive_due_at        INTEGER,
  disabled_at            INTEGER,
  deletion_due_at        INTEGER,
  deletion_change_number INTEGER,
  bounced_at             INTEGER,
  bounce_status          TEXT,
  CONSTRAINT accounts_email_key UNIQUE (email_key),
  CONSTRAINT accounts_username_key UNIQUE (username_key)
) STRICT;
CREATE INDEX accounts_shown ON accounts (id, email, username);
CREATE INDEX accounts_unverified ON accounts (created_at) WHERE email_verified_at IS NULL;
CREATE INDEX accounts_last_sign_in ON accounts (last_sign_in_at);
CREATE INDEX accounts_inactive_due ON accounts (inactive_due_at) WHERE inactive_due_at IS NOT NULL;
CREATE INDEX accounts_deletion_due ON accounts (deletion_due_at) WHERE deletion_due_at IS NOT NULL;
CREATE INDEX accounts_bounced ON accounts (bounced_at) WHERE bounced_at IS NOT NULL;
CREATE INDEX accounts_unicode_email_key ON accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
CREATE TABLE consents (
  id           BLOB    NOT NULL,
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent      INTEGER NOT NULL,
  text_version INTEGER NOT NULL,
  language     TEXT,
  at           INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT;
CREATE TABLE former_emails (
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email_hash BLOB    NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, email_hash)
) STRICT;
CREATE INDEX former_emails_hash ON former_emails (email_hash);
CREATE INDEX former_emails_changed ON former_emails (changed_at);
CREATE TABLE username_reservations (
  username_key TEXT    NOT NULL PRIMARY KEY,
  reserved_at  INTEGER NOT NULL,
  device_hash  BLOB
) STRICT;
CREATE INDEX username_reservations_age ON username_reservations (reserved_at);
CREATE TABLE deleted_accounts (
  id            BLOB    NOT NULL PRIMARY KEY,
  deleted_at    INTEGER NOT NULL,
  username_hash BLOB,
  held_until    INTEGER NOT NULL
) STRICT;
CREATE INDEX deleted_accounts_username ON deleted_accounts (username_hash) WHERE username_hash IS NOT NULL;
CREATE INDEX deleted_accounts_hold ON deleted_accounts (held_until) WHERE username_hash IS NOT NULL;
CREATE TABLE security_events (
  id          BLOB    NOT NULL,
  account_id  BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  actor       TEXT    NOT NULL,
  device_name TEXT,
  device_hash BLOB,
  network     TEXT,
  details     TEXT    NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT;
CREATE INDEX security_events_age ON security_events (at);
CREATE TABLE password_history (
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  password_hash TEXT    NOT NULL,
  replaced_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, replaced_at, password_hash)
) STRICT;
CREATE TABLE credentials (
  id            BLOB    NOT NULL PRIMARY KEY,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind          TEXT    NOT NULL,
  rp_id         TEXT    NOT NULL,
  credential_id BLOB    NOT NULL,
  data          TEXT    NOT NULL,
  aaguid        TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  synced        INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER,
  CONSTRAINT credentials_credential_id UNIQUE (rp_id, credential_id)
) STRICT;
CREATE INDEX credentials_account ON credentials (account_id, created_at);
CREATE TABLE spent_challenges (
  challenge_hash BLOB    NOT NULL PRIMARY KEY,
  expires_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_challenges_expiry ON spent_challenges (expires_at);
CREATE TABLE totp (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BLOB    NOT NULL,
  session_hash BLOB,
  failed_codes INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_step    INTEGER NOT NULL
) STRICT;
CREATE TABLE recovery_codes (
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  code_hash    BLOB    NOT NULL,
  session_hash BLOB,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, code_hash)
) STRICT;
CREATE TABLE second_factor_resets (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  requested_at INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX second_factor_resets_expiry ON second_factor_resets (expires_at);
CREATE TABLE sign_in_challenges (
  token_hash BLOB    NOT NULL PRIMARY KEY,
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tries      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_challenges_account ON sign_in_challenges (account_id);
CREATE INDEX sign_in_challenges_expiry ON sign_in_challenges (expires_at);
CREATE TABLE tokens (
  token_hash    BLOB    NOT NULL PRIMARY KEY,
  purpose       TEXT    NOT NULL,
  subject_id    BLOB    NOT NULL,
  email         TEXT,
  device_hash   BLOB,
  device_name   TEXT,
  change_number INTEGER,
  requested_at  INTEGER,
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  spent_at      INTEGER
) STRICT;
CREATE INDEX tokens_subject ON tokens (subject_id, purpose);
CREATE INDEX tokens_expiry ON tokens (expires_at);
CREATE TABLE devices (
  id            BLOB    NOT NULL PRIMARY KEY,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  cookie_hash   BLOB    NOT NULL,
  name          TEXT    NOT NULL,
  enrolled_at   INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  trusted_until INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT devices_cookie_key UNIQUE (account_id, cookie_hash)
) STRICT;
CREATE INDEX devices_use ON devices (last_used_at);
CREATE TABLE sessions (
  id_hash          BLOB    NOT NULL PRIMARY KEY,
  account_id       BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  device_id        BLOB    NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  sid              BLOB,
  created_at       INTEGER NOT NULL,
  last_used_at     INTEGER NOT NULL,
  idle_until       INTEGER NOT NULL,
  idle_hour        INTEGER GENERATED ALWAYS AS (idle_until / 3600000) VIRTUAL,
  expires_at       INTEGER NOT NULL,
  authenticated_at INTEGER NOT NULL DEFAULT 0,
  methods          TEXT    NOT NULL DEFAULT 'password',
  level_two_at     INTEGER,
  support_used_at  INTEGER
) STRICT;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_device ON sessions (device_id);
CREATE INDEX sessions_sid ON sessions (sid) WHERE sid IS NOT NULL;
CREATE INDEX sessions_idle_hour ON sessions (idle_hour);
CREATE TABLE limits (
  key     BLOB    NOT NULL PRIMARY KEY,
  hits    INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX limits_end ON limits (ends_at);
CREATE TABLE oidc_keys (
  id           BLOB    NOT NULL PRIMARY KEY,
  algorithm    TEXT    NOT NULL,
  number       INTEGER NOT NULL,
  kid          TEXT    NOT NULL,
  jwk          TEXT    NOT NULL,
  private_key  BLOB    NOT NULL,
  created_at   INTEGER NOT NULL,
  active_at    INTEGER NOT NULL,
  withdrawn_at INTEGER,
  CONSTRAINT oidc_keys_number UNIQUE (algorithm, number)
) STRICT;
CREATE TABLE app_sessions (
  sid           BLOB    NOT NULL,
  client_id     TEXT    NOT NULL,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  first_used_at INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  PRIMARY KEY (sid, client_id)
) STRICT;
CREATE INDEX app_sessions_account ON app_sessions (account_id);
CREATE TABLE oidc_codes (
  code_hash    BLOB    NOT NULL PRIMARY KEY,
  grant_id     BLOB    NOT NULL,
  sid          BLOB    NOT NULL,
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL,
  challenge    TEXT,
  nonce        TEXT,
  scope        TEXT    NOT NULL,
  auth_time    INTEGER NOT NULL,
  amr          TEXT    NOT NULL,
  acr          TEXT    NOT NULL,
  expires_at   INTEGER NOT NULL,
  spent_at     INTEGER
) STRICT;
CREATE INDEX oidc_codes_sid ON oidc_codes (sid);
CREATE INDEX oidc_codes_expiry ON oidc_codes (expires_at);
CREATE TABLE oidc_tokens (
  token_hash BLOB    NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,
  grant_id   BLOB    NOT NULL,
  sid        BLOB    NOT NULL,
  client_id  TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  auth_time  INTEGER NOT NULL,
  amr        TEXT    NOT NULL,
  acr        TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_at   INTEGER
) STRICT;
CREATE INDEX oidc_tokens_grant ON oidc_tokens (grant_id);
CREATE INDEX oidc_tokens_sid ON oidc_tokens (sid);
CREATE INDEX oidc_tokens_expiry ON oidc_tokens (expires_at);
CREATE TABLE outbox (
  id             BLOB    NOT NULL PRIMARY KEY,
  kind           TEXT    NOT NULL,
  subject_id     BLOB    NOT NULL,
  recipient      TEXT    NOT NULL,
  language       TEXT    NOT NULL,
  region         TEXT    NOT NULL,
  details        TEXT    NOT NULL,
  change_number  INTEGER,
  device_hash    TEXT,
  priority       INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL,
  due_at         INTEGER NOT NULL,
  attempts       INTEGER NOT NULL,
  deferred_since INTEGER,
  failed_at      INTEGER,
  last_error     TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (priority, due_at) WHERE failed_at IS NULL;
CREATE INDEX outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX outbox_subject ON outbox (subject_id, kind);
CREATE INDEX outbox_recipient ON outbox (recipient);
CREATE TABLE sent_mails (
  id         BLOB    NOT NULL PRIMARY KEY,
  subject_id BLOB    NOT NULL,
  kind       TEXT    NOT NULL,
  queued_at  INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX sent_mails_subject ON sent_mails (subject_id, queued_at);
CREATE INDEX sent_mails_sent ON sent_mails (sent_at);
CREATE TABLE kept_mail (
  id         BLOB    NOT NULL PRIMARY KEY,
  subject_id BLOB,
  recipient  TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  html       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_mail_age ON kept_mail (created_at);
CREATE TABLE deliveries (
  id         BLOB    NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,
  endpoint   TEXT    NOT NULL,
  merge_key  TEXT,
  facts      TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  last_error TEXT
) STRICT;
CREATE INDEX deliveries_due ON deliveries (endpoint, due_at);
CREATE INDEX deliveries_oldest ON deliveries (endpoint, created_at);
CREATE INDEX deliveries_merge ON deliveries (endpoint, merge_key) WHERE merge_key IS NOT NULL;
CREATE TABLE support_roles (
  account_id BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  role       TEXT    NOT NULL,
  granted_at INTEGER NOT NULL
) STRICT;
CREATE TABLE support_audit (
  id         BLOB    NOT NULL PRIMARY KEY,
  at         INTEGER NOT NULL,
  operator   TEXT,
  agent_id   BLOB,
  action     TEXT    NOT NULL,
  account_id BLOB,
  reason     TEXT,
  refusal    TEXT
) STRICT;
CREATE INDEX support_audit_at ON support_audit (at);
CREATE TABLE legacy_accounts (
  id                BLOB    NOT NULL PRIMARY KEY,
  legacy_id         TEXT,
  row_hash          BLOB    NOT NULL,
  email             TEXT    NOT NULL,
  email_key         TEXT    NOT NULL,
  username          TEXT,
  username_key      TEXT,
  password_hash     TEXT,
  first_name        TEXT,
  last_name         TEXT,
  birthday_day      INTEGER,
  birthday_month    INTEGER,
  birthday_year     INTEGER,
  country           TEXT,
  zipcode           TEXT,
  language          TEXT,
  marketing_consent INTEGER,
  created_at        INTEGER,
  imported_at       INTEGER NOT NULL,
  invited_at        INTEGER,
  opened_at         INTEGER,
  bounced_at        INTEGER,
  unsubscribed_at   INTEGER,
  refused_at        INTEGER,
  migrated_at       INTEGER,
  account_id        BLOB,
  CONSTRAINT legacy_accounts_email_key UNIQUE (email_key)
) STRICT;
CREATE INDEX legacy_accounts_legacy_id ON legacy_accounts (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX legacy_accounts_username ON legacy_accounts (username_key) WHERE migrated_at IS NULL;
CREATE INDEX legacy_accounts_account ON legacy_accounts (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX legacy_accounts_unicode_email_key ON legacy_accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
CREATE TABLE secrets (
  name  TEXT    NOT NULL PRIMARY KEY,
  value BLOB    NOT NULL
) STRICT;
