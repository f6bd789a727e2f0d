CREATE TABLE accounts (
  id                     UUID    NOT NULL PRIMARY KEY,
  email                  TEXT    NOT NULL,
  email_key              TEXT    NOT NULL,
  email_verified_at      BIGINT,
  email_change_number    BIGINT  NOT NULL DEFAULT 0,
  username               TEXT    NOT NULL,
  username_key           TEXT    NOT NULL,
  password_hash          TEXT    NOT NULL,
  password_changed_at    BIGINT  NOT NULL,
  first_name             TEXT,
  last_name              TEXT,
  details_changed_at     BIGINT,
  birthday               TEXT    NOT NULL,
  country                TEXT    NOT NULL,
  zipcode                TEXT    NOT NULL,
  language               TEXT    NOT NULL,
  region                 TEXT    NOT NULL,
  marketing_consent      BIGINT  NOT NULL,
  marketing_consent_at   BIGINT  NOT NULL,
  created_at             BIGINT  NOT NULL,
  first_sign_in_at       BIGINT,
  last_sign_in_at        BIGINT,
  inactive_due_at        BIGINT,
  disabled_at            BIGINT,
  deletion_due_at        BIGINT,
  deletion_change_number BIGINT,
  bounced_at             BIGINT,
  bounce_status          TEXT,
  CONSTRAINT accounts_email_key UNIQUE (email_key),
  CONSTRAINT accounts_username_key UNIQUE (username_key)
);
CREATE INDEX accounts_unverified ON accounts (created_at) WHERE email_verified_at IS NULL;
CREATE INDEX accounts_last_sign_in ON accounts (last_sign_in_at);
CREATE INDEX accounts_inactive_due ON accounts (inactive_due_at) WHERE inactive_due_at IS NOT NULL;
CREATE INDEX accounts_deletion_due ON accounts (deletion_due_at) WHERE deletion_due_at IS NOT NULL;
CREATE INDEX accounts_bounced ON accounts (bounced_at) WHERE bounced_at IS NOT NULL;
CREATE INDEX accounts_unicode_email_key ON accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
CREATE TABLE consents (
  id           UUID    NOT NULL,
  account_id   UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent      BIGINT  NOT NULL,
  text_version BIGINT  NOT NULL,
  language     TEXT,
  at           BIGINT  NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE TABLE former_emails (
  account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email_hash BYTEA   NOT NULL,
  changed_at BIGINT  NOT NULL,
  PRIMARY KEY (account_id, email_hash)
);
CREATE INDEX former_emails_hash ON former_emails (email_hash);
CREATE INDEX former_emails_changed ON former_emails (changed_at);
CREATE TABLE username_reservations (
  username_key TEXT    NOT NULL PRIMARY KEY,
  reserved_at  BIGINT  NOT NULL,
  device_hash  BYTEA
);
CREATE INDEX username_reservations_age ON username_reservations (reserved_at);
CREATE TABLE deleted_accounts (
  id            UUID    NOT NULL PRIMARY KEY,
  deleted_at    BIGINT  NOT NULL,
  username_hash BYTEA,
  held_until    BIGINT  NOT NULL
);
CREATE INDEX deleted_accounts_username ON deleted_accounts (username_hash) WHERE username_hash IS NOT NULL;
CREATE INDEX deleted_accounts_hold ON deleted_accounts (held_until) WHERE username_hash IS NOT NULL;
CREATE TABLE security_events (
  id          UUID    NOT NULL,
  account_id  UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL,
  at          BIGINT  NOT NULL,
  actor       TEXT    NOT NULL,
  device_name TEXT,
  device_hash BYTEA,
  network     TEXT,
  details     TEXT    NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX security_events_age ON security_events (at);
CREATE TABLE password_history (
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  password_hash TEXT    NOT NULL,
  replaced_at   BIGINT  NOT NULL,
  PRIMARY KEY (account_id, replaced_at, password_hash)
);
CREATE TABLE credentials (
  id            UUID    NOT NULL PRIMARY KEY,
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind          TEXT    NOT NULL,
  rp_id         TEXT    NOT NULL,
  credential_id BYTEA   NOT NULL,
  data          TEXT    NOT NULL,
  aaguid        TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  synced        BIGINT  NOT NULL,
  created_at    BIGINT  NOT NULL,
  last_used_at  BIGINT,
  CONSTRAINT credentials_credential_id UNIQUE (rp_id, credential_id)
);
CREATE INDEX credentials_account ON credentials (account_id, created_at);
CREATE TABLE spent_challenges (
  challenge_hash BYTEA   NOT NULL PRIMARY KEY,
  expires_at     BIGINT  NOT NULL
);
CREATE INDEX spent_challenges_expiry ON spent_challenges (expires_at);
CREATE TABLE totp (
  account_id   UUID    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BYTEA   NOT NULL,
  session_hash BYTEA,
  failed_codes BIGINT  NOT NULL DEFAULT 0,
  created_at   BIGINT  NOT NULL,
  confirmed_at BIGINT,
  last_step    BIGINT  NOT NULL
);
CREATE TABLE recovery_codes (
  account_id   UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  code_hash    BYTEA   NOT NULL,
  session_hash BYTEA,
  created_at   BIGINT  NOT NULL,
  PRIMARY KEY (account_id, code_hash)
);
CREATE TABLE second_factor_resets (
  account_id   UUID    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  requested_at BIGINT  NOT NULL,
  due_at       BIGINT  NOT NULL,
  expires_at   BIGINT  NOT NULL
);
CREATE INDEX second_factor_resets_expiry ON second_factor_resets (expires_at);
CREATE TABLE sign_in_challenges (
  token_hash BYTEA   NOT NULL PRIMARY KEY,
  account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tries      BIGINT  NOT NULL,
  expires_at BIGINT  NOT NULL
);
CREATE INDEX sign_in_challenges_account ON sign_in_challenges (account_id);
CREATE INDEX sign_in_challenges_expiry ON sign_in_challenges (expires_at);
CREATE TABLE tokens (
  token_hash    BYTEA   NOT NULL PRIMARY KEY,
  purpose       TEXT    NOT NULL,
  subject_id    UUID    NOT NULL,
  email         TEXT,
  device_hash   BYTEA,
  device_name   TEXT,
  change_number BIGINT,
  requested_at  BIGINT,
  created_at    BIGINT  NOT NULL,
  expires_at    BIGINT  NOT NULL,
  spent_at      BIGINT
);
CREATE INDEX tokens_subject ON tokens (subject_id, purpose);
CREATE INDEX tokens_expiry ON tokens (expires_at);
CREATE TABLE devices (
  id            UUID    NOT NULL PRIMARY KEY,
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  cookie_hash   BYTEA   NOT NULL,
  name          TEXT    NOT NULL,
  enrolled_at   BIGINT  NOT NULL,
  last_used_at  BIGINT  NOT NULL,
  trusted_until BIGINT  NOT NULL DEFAULT 0,
  CONSTRAINT devices_cookie_key UNIQUE (account_id, cookie_hash)
);
CREATE INDEX devices_use ON devices (last_used_at);
CREATE TABLE sessions (
  id_hash          BYTEA   NOT NULL PRIMARY KEY,
  account_id       UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  device_id        UUID    NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  sid              UUID,
  created_at       BIGINT  NOT NULL,
  last_used_at     BIGINT  NOT NULL,
  idle_until       BIGINT  NOT NULL,
  idle_hour        BIGINT  GENERATED ALWAYS AS (idle_until / 3600000) STORED,
  expires_at       BIGINT  NOT NULL,
  authenticated_at BIGINT  NOT NULL DEFAULT 0,
  methods          TEXT    NOT NULL DEFAULT 'password',
  level_two_at     BIGINT,
  support_used_at  BIGINT
) WITH (fillfactor = 80);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_device ON sessions (device_id);
CREATE INDEX sessions_sid ON sessions (sid) WHERE sid IS NOT NULL;
CREATE INDEX sessions_idle_hour ON sessions (idle_hour);
CREATE TABLE limits (
  key     BYTEA   NOT NULL PRIMARY KEY,
  hits    BIGINT  NOT NULL,
  ends_at BIGINT  NOT NULL
);
CREATE INDEX limits_end ON limits (ends_at);
CREATE TABLE oidc_keys (
  id           UUID    NOT NULL PRIMARY KEY,
  algorithm    TEXT    NOT NULL,
  number       BIGINT  NOT NULL,
  kid          TEXT    NOT NULL,
  jwk          TEXT    NOT NULL,
  private_key  BYTEA   NOT NULL,
  created_at   BIGINT  NOT NULL,
  active_at    BIGINT  NOT NULL,
  withdrawn_at BIGINT,
  CONSTRAINT oidc_keys_number UNIQUE (algorithm, number)
);
CREATE TABLE app_sessions (
  sid           UUID    NOT NULL,
  client_id     TEXT    NOT NULL,
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  first_used_at BIGINT  NOT NULL,
  last_used_at  BIGINT  NOT NULL,
  PRIMARY KEY (sid, client_id)
);
CREATE INDEX app_sessions_account ON app_sessions (account_id);
CREATE TABLE oidc_codes (
  code_hash    BYTEA   NOT NULL PRIMARY KEY,
  grant_id     UUID    NOT NULL,
  sid          UUID    NOT NULL,
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL,
  challenge    TEXT,
  nonce        TEXT,
  scope        TEXT    NOT NULL,
  auth_time    BIGINT  NOT NULL,
  amr          TEXT    NOT NULL,
  acr          TEXT    NOT NULL,
  expires_at   BIGINT  NOT NULL,
  spent_at     BIGINT
);
CREATE INDEX oidc_codes_sid ON oidc_codes (sid);
CREATE INDEX oidc_codes_expiry ON oidc_codes (expires_at);
CREATE TABLE oidc_tokens (
  token_hash BYTEA   NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,
  grant_id   UUID    NOT NULL,
  sid        UUID    NOT NULL,
  client_id  TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  auth_time  BIGINT  NOT NULL,
  amr        TEXT    NOT NULL,
  acr        TEXT    NOT NULL,
  expires_at BIGINT  NOT NULL,
  spent_at   BIGINT
);
CREATE INDEX oidc_tokens_grant ON oidc_tokens (grant_id);
CREATE INDEX oidc_tokens_sid ON oidc_tokens (sid);
CREATE INDEX oidc_tokens_expiry ON oidc_tokens (expires_at);
CREATE TABLE outbox (
  id             UUID    NOT NULL PRIMARY KEY,
  kind           TEXT    NOT NULL,
  subject_id     UUID    NOT NULL,
  recipient      TEXT    NOT NULL,
  language       TEXT    NOT NULL,
  region         TEXT    NOT NULL,
  details        TEXT    NOT NULL,
  change_number  BIGINT,
  device_hash    TEXT,
  priority       BIGINT  NOT NULL DEFAULT 0,
  created_at     BIGINT  NOT NULL,
  due_at         BIGINT  NOT NULL,
  attempts       BIGINT  NOT NULL,
  deferred_since BIGINT,
  failed_at      BIGINT,
  last_error     TEXT
);
CREATE INDEX outbox_due ON outbox (priority, due_at) WHERE failed_at IS NULL;
CREATE INDEX outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX outbox_subject ON outbox (subject_id, kind);
CREATE INDEX outbox_recipient ON outbox (recipient);
CREATE TABLE sent_mails (
  id         UUID    NOT NULL PRIMARY KEY,
  subject_id UUID    NOT NULL,
  kind       TEXT    NOT NULL,
  queued_at  BIGINT  NOT NULL,
  sent_at    BIGINT  NOT NULL
);
CREATE INDEX sent_mails_subject ON sent_mails (subject_id, queued_at);
CREATE INDEX sent_mails_sent ON sent_mails (sent_at);
CREATE TABLE kept_mail (
  id         UUID    NOT NULL PRIMARY KEY,
  subject_id UUID,
  recipient  TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  html       TEXT    NOT NULL,
  created_at BIGINT  NOT NULL
);
CREATE INDEX kept_mail_age ON kept_mail (created_at);
CREATE TABLE deliveries (
  id         UUID    NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,
  endpoint   TEXT    NOT NULL,
  merge_key  TEXT,
  facts      TEXT    NOT NULL,
  created_at BIGINT  NOT NULL,
  due_at     BIGINT  NOT NULL,
  attempts   BIGINT  NOT NULL,
  last_error TEXT
);
CREATE INDEX deliveries_due ON deliveries (endpoint, due_at);
CREATE INDEX deliveries_oldest ON deliveries (endpoint, created_at);
CREATE INDEX deliveries_merge ON deliveries (endpoint, merge_key) WHERE merge_key IS NOT NULL;
CREATE TABLE support_roles (
  account_id UUID    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  role       TEXT    NOT NULL,
  granted_at BIGINT  NOT NULL
);
CREATE TABLE support_audit (
  id         UUID    NOT NULL PRIMARY KEY,
  at         BIGINT  NOT NULL,
  operator   TEXT,
  agent_id   UUID,
  action     TEXT    NOT NULL,
  account_id UUID,
  reason     TEXT,
  refusal    TEXT
);
CREATE INDEX support_audit_at ON support_audit (at);
CREATE TABLE legacy_accounts (
  id                UUID    NOT NULL PRIMARY KEY,
  legacy_id         TEXT,
  row_hash          BYTEA   NOT NULL,
  email             TEXT    NOT NULL,
  email_key         TEXT    NOT NULL,
  username          TEXT,
  username_key      TEXT,
  password_hash     TEXT,
  first_name        TEXT,
  last_name         TEXT,
  birthday_day      BIGINT,
  birthday_month    BIGINT,
  birthday_year     BIGINT,
  country           TEXT,
  zipcode           TEXT,
  language          TEXT,
  marketing_consent BIGINT,
  created_at        BIGINT,
  imported_at       BIGINT  NOT NULL,
  invited_at        BIGINT,
  opened_at         BIGINT,
  bounced_at        BIGINT,
  unsubscribed_at   BIGINT,
  refused_at        BIGINT,
  migrated_at       BIGINT,
  account_id        UUID,
  CONSTRAINT legacy_accounts_email_key UNIQUE (email_key)
);
CREATE INDEX legacy_accounts_legacy_id ON legacy_accounts (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX legacy_accounts_username ON legacy_accounts (username_key) WHERE migrated_at IS NULL;
CREATE INDEX legacy_accounts_account ON legacy_accounts (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX legacy_accounts_unicode_email_key ON legacy_accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
CREATE TABLE secrets (
  name  TEXT    NOT NULL PRIMARY KEY,
  value BYTEA   NOT NULL
);
