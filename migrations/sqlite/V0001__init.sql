-- The schema of release 1.0. migrations/postgres has the same tables, with other column types.
--
-- Times are milliseconds since 1970 UTC, and flags are 0 or 1. Ids are UUIDv7, so their order is the order in time.
-- Session ids, device cookies and the secrets of links are stored as their SHA-256, so that nobody can use them who
-- reads a copy of this file.

-- People --------------------------------------------------------------------------------------------------------------

-- One row per person. An account without a verified address is deleted after `lifetimes.unverified_account`.
CREATE TABLE accounts (
  id                     BLOB    NOT NULL PRIMARY KEY,
  email                  TEXT    NOT NULL,        -- as the person wrote it, trimmed; mails go to this address
  email_key              TEXT    NOT NULL,        -- in `names` (domain/email.rs)
  email_verified_at      INTEGER,                 -- NULL: the person cannot sign in yet
  email_change_number    INTEGER NOT NULL DEFAULT 0, -- of the latest change of the address; only grows
  username               TEXT    NOT NULL,
  username_key           TEXT    NOT NULL,        -- in `names` (domain/username.rs)
  password_hash          TEXT    NOT NULL,        -- PHC string
  password_changed_at    INTEGER NOT NULL,
  first_name             TEXT,
  last_name              TEXT,
  details_changed_at     INTEGER,                 -- when an operator corrected the username or names; NULL: never
  birthday               TEXT    NOT NULL,        -- YYYY-MM-DD
  country                TEXT    NOT NULL,
  zipcode                TEXT    NOT NULL,
  language               TEXT    NOT NULL,
  region                 TEXT    NOT NULL,        -- the region of the registration, whose brand the mails have
  marketing_consent      INTEGER NOT NULL,        -- a flag
  marketing_consent_at   INTEGER NOT NULL,        -- when the person gave this answer
  created_at             INTEGER NOT NULL,
  first_sign_in_at       INTEGER,                 -- NULL: the next sign-in enrols its device
  last_sign_in_at        INTEGER,                 -- in steps of a day
  last_sign_in_month     INTEGER GENERATED ALWAYS AS (last_sign_in_at / 2592000000) VIRTUAL, -- for `lifetimes.inactive_account`
  inactive_due_at        INTEGER,                 -- deleted then unless the person signs in; NULL: in use
  disabled_at            INTEGER,                 -- NULL: not disabled
  deletion_due_at        INTEGER,                 -- NULL: no deletion was requested
  deletion_change_number INTEGER,                 -- undo links of changes with a lower number cancel the deletion
  bounced_at             INTEGER,                 -- since when mails to the address are returned; NULL: none is
  bounce_status          TEXT                     -- the status (RFC 3463) of the latest returned mail
) STRICT;
-- What every page shows of the person, side by side, because the rows of the table are long.
CREATE INDEX accounts_shown ON accounts (id, email, username);
CREATE INDEX accounts_unverified ON accounts (created_at) WHERE email_verified_at IS NULL;
CREATE INDEX accounts_last_sign_in ON accounts (last_sign_in_month);
CREATE INDEX accounts_inactive_due ON accounts (inactive_due_at) WHERE inactive_due_at IS NOT NULL;
CREATE INDEX accounts_deletion_due ON accounts (deletion_due_at) WHERE deletion_due_at IS NOT NULL;
-- Counted for /metrics.
CREATE INDEX accounts_bounced ON accounts (bounced_at) WHERE bounced_at IS NOT NULL;
-- Addresses with letters outside ASCII, whose keys the program renews when its rule changes (store/email_keys.rs).
CREATE INDEX accounts_unicode_email_key ON accounts (id)
  WHERE octet_length(email_key) <> length(email_key);

-- What a person answered to a request for consent, and to which text: proof of consent (GDPR, article 7(1)).
CREATE TABLE consents (
  id           BLOB    NOT NULL,                  -- the first record of an account has the id of the account
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent      INTEGER NOT NULL,                  -- a flag
  text_version INTEGER NOT NULL,                  -- domain/consent.rs; 0: the text was not recorded
  language     TEXT,                              -- the language of that text
  at           INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT;

-- The former addresses of an account, for support: a person knows the former address, not that of a thief. Kept for 180
-- days, and only as keyed hashes.
CREATE TABLE former_emails (
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email_hash BLOB    NOT NULL,                    -- keyed hash of the key of the address
  changed_at INTEGER NOT NULL,                    -- when the account got another address
  PRIMARY KEY (account_id, email_hash)
) STRICT;
CREATE INDEX former_emails_hash ON former_emails (email_hash);
CREATE INDEX former_emails_changed ON former_emails (changed_at);

-- Names that are unique in the whole database: the email addresses and usernames of accounts, usernames that registrations
-- in profile `strict` reserve, whether their address was free or taken, and held usernames of deleted accounts.
CREATE TABLE names (
  key         TEXT    NOT NULL,                  -- the lookup key, or a keyed hash of it (store/names.rs)
  kind        TEXT    NOT NULL,                  -- store/names.rs
  account_id  BLOB,                             -- NULL: a reserved or held username. No foreign key, because of Citus
  device_hash BLOB,                             -- hash of the device cookie that may register the name within an hour
  until       INTEGER,                          -- NULL: as long as the account
  PRIMARY KEY (key, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_until ON names (until) WHERE until IS NOT NULL;

-- What remains of a deleted account, so that its id is never given again.
CREATE TABLE deleted_accounts (
  id         BLOB    NOT NULL PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT;

-- What happened to an account, for the list of recent activity. Deleted after `lifetimes.activity`.
CREATE TABLE security_events (
  id          BLOB    NOT NULL,
  account_id  BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL,                   -- domain/security_event.rs
  at          INTEGER NOT NULL,
  actor       TEXT    NOT NULL,                   -- self, support or system
  device_name TEXT,                               -- our own phrase: "Firefox · Windows"
  device_hash BLOB,                               -- cookie hash of that browser, which "That wasn't me" forgets
  network     TEXT,                               -- a /24 or a /48
  details     TEXT    NOT NULL,                   -- JSON, without addresses and secrets
  PRIMARY KEY (account_id, id)
) STRICT;
CREATE INDEX security_events_age ON security_events (at);

-- Ways to prove an identity -------------------------------------------------------------------------------------------

-- Former password hashes, at most `security.password_history` per account.
CREATE TABLE password_history (
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  password_hash TEXT    NOT NULL,
  replaced_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, replaced_at, password_hash)
) STRICT;

-- Passkeys.
CREATE TABLE credentials (
  id            BLOB    NOT NULL,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind          TEXT    NOT NULL,                 -- passkey
  rp_id         TEXT    NOT NULL,                 -- the relying party (WebAuthn) that it works for
  credential_id BLOB    NOT NULL,                 -- the authenticator's name for it
  data          TEXT    NOT NULL,                 -- JSON: public key, counter, backup flags (store/credentials.rs)
  aaguid        TEXT    NOT NULL,                 -- the model of the authenticator
  name          TEXT    NOT NULL,                 -- the person's name for it
  synced        INTEGER NOT NULL,                 -- a flag: kept in an account of its provider
  created_at    INTEGER NOT NULL,                 -- grows with every credential of an account: undo links compare it
  last_used_at  INTEGER,
  PRIMARY KEY (account_id, id),
  CONSTRAINT credentials_credential_id UNIQUE (rp_id, credential_id)
) STRICT;
CREATE INDEX credentials_account ON credentials (account_id, created_at);

-- Used challenges of passkeys, because each works once. Deleted when the challenge expires.
CREATE TABLE spent_challenges (
  challenge_hash BLOB    NOT NULL PRIMARY KEY,
  expires_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX spent_challenges_expiry ON spent_challenges (expires_at);

-- Authenticator apps (RFC 6238).
CREATE TABLE totp (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BLOB    NOT NULL,                  -- encrypted (crypto/sealing.rs)
  session_hash BLOB,                              -- the session that set the app up
  failed_codes INTEGER NOT NULL DEFAULT 0,        -- the wrong codes of the set-up
  created_at   INTEGER NOT NULL,                  -- when the set-up began
  confirmed_at INTEGER,                           -- NULL until the first right code; undo links compare it
  last_step    INTEGER NOT NULL                   -- the newest 30 s step that a code was accepted for
) STRICT;

-- Recovery codes of the second factor. A use of a code deletes its row.
CREATE TABLE recovery_codes (
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  code_hash    BLOB    NOT NULL,
  session_hash BLOB,                              -- the session that made a pending code; NULL: the code works
  created_at   INTEGER NOT NULL,                  -- undo links compare it
  PRIMARY KEY (account_id, code_hash)
) STRICT;

-- Requested resets of a lost second factor. A mailed link carries a reset out, from due_at on.
CREATE TABLE second_factor_resets (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  requested_at INTEGER NOT NULL,                  -- undo links compare it
  due_at       INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX second_factor_resets_expiry ON second_factor_resets (expires_at);

-- Sign-ins with the right password that still lack the second factor.
CREATE TABLE sign_in_challenges (
  token_hash BLOB    NOT NULL PRIMARY KEY,
  account_id BLOB    NOT NULL,                  -- no foreign key, because the challenge may be on another server
  tries      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_in_challenges_account ON sign_in_challenges (account_id);
CREATE INDEX sign_in_challenges_expiry ON sign_in_challenges (expires_at);

-- Mailed links and other secrets that work once.
CREATE TABLE tokens (
  token_hash    BLOB    NOT NULL PRIMARY KEY,
  purpose       TEXT    NOT NULL,                 -- store/tokens/purpose.rs
  subject_id    BLOB    NOT NULL,                 -- an account, or for the purposes of a migration an old account
  email         TEXT,                             -- the address that the token was made for
  device_hash   BLOB,                             -- cookie hash of the browser that asked
  device_name   TEXT,
  change_number INTEGER,                          -- the change that an undo link reverts
  requested_at  INTEGER,                          -- when the browser of an approval link asked
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  spent_at      INTEGER
) STRICT;
CREATE INDEX tokens_subject ON tokens (subject_id, purpose);
CREATE INDEX tokens_expiry ON tokens (expires_at);

-- Devices and sessions ------------------------------------------------------------------------------------------------

-- Browsers that proved that they belong to the account's owner, one row per account and browser.
CREATE TABLE devices (
  id            BLOB    NOT NULL,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  cookie_hash   BLOB    NOT NULL,
  name          TEXT    NOT NULL,                 -- our own phrase: "Firefox · Windows"
  enrolled_at   INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  trusted_until INTEGER NOT NULL DEFAULT 0,       -- until then a sign-in needs no second factor
  PRIMARY KEY (account_id, id),
  CONSTRAINT devices_cookie_key UNIQUE (account_id, cookie_hash)
) STRICT;
CREATE INDEX devices_use ON devices (last_used_at);

CREATE TABLE sessions (
  id_hash          BLOB    NOT NULL,                  -- hash of the secret in the session id
  account_id       BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  device_id        BLOB    NOT NULL,
  sid              BLOB,                          -- its name for applications, which stays when id_hash changes
  created_at       INTEGER NOT NULL,
  last_used_at     INTEGER NOT NULL,              -- moved forward in steps (store/sessions.rs)
  idle_until       INTEGER NOT NULL,              -- never later than expires_at
  idle_hour        INTEGER GENERATED ALWAYS AS (idle_until / 3600000) VIRTUAL, -- by which expired sessions are found
  expires_at       INTEGER NOT NULL,              -- never moved
  authenticated_at INTEGER NOT NULL DEFAULT 0,    -- the last proof of identity
  methods          TEXT    NOT NULL DEFAULT 'password', -- of the proofs (domain/auth_method.rs)
  level_two_at     INTEGER,                       -- the last proof of identity at assurance level 2
  support_used_at  INTEGER, -- the last request of the support view
  PRIMARY KEY (account_id, id_hash),
  FOREIGN KEY (account_id, device_id) REFERENCES devices (account_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sessions_device ON sessions (account_id, device_id);
CREATE INDEX sessions_sid ON sessions (sid) WHERE sid IS NOT NULL;
CREATE INDEX sessions_idle_hour ON sessions (idle_hour);

-- Counters of the rate limits. The key is a keyed hash, so the table contains no address.
CREATE TABLE limits (
  key     BLOB    NOT NULL PRIMARY KEY,
  hits    INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;
CREATE INDEX limits_end ON limits (ends_at);

-- OpenID Connect ------------------------------------------------------------------------------------------------------

-- Keys that sign ID tokens and logout tokens. The number decides which of two nodes made the next key.
CREATE TABLE oidc_keys (
  id           BLOB    NOT NULL PRIMARY KEY,
  algorithm    TEXT    NOT NULL,                  -- RS256, ES256 or EdDSA
  number       INTEGER NOT NULL,                  -- counts the keys of an algorithm
  kid          TEXT    NOT NULL,                  -- thumbprint (RFC 7638)
  jwk          TEXT    NOT NULL,                  -- the public key as JSON (RFC 7517)
  private_key  BLOB    NOT NULL,                  -- encrypted (crypto/sealing.rs)
  created_at   INTEGER NOT NULL,
  active_at    INTEGER NOT NULL,                  -- signs from then on, until the next number does
  withdrawn_at INTEGER,                           -- compromised: from then on the key neither signs nor counts
  CONSTRAINT oidc_keys_number UNIQUE (algorithm, number)
) STRICT;

-- The applications that a session signed in to.
CREATE TABLE app_sessions (
  sid           BLOB    NOT NULL,                 -- that of the session
  client_id     TEXT    NOT NULL,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  first_used_at INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, sid, client_id)
) STRICT;

-- Authorization codes. A used code is kept for a while, because its second use revokes the tokens of its grant.
CREATE TABLE oidc_codes (
  code_hash    BLOB    NOT NULL PRIMARY KEY,
  grant_id     BLOB    NOT NULL,                  -- of the tokens that it is exchanged for
  sid          BLOB    NOT NULL,                  -- of the session that it was issued in
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL,
  challenge    TEXT,                              -- PKCE, S256
  nonce        TEXT,
  scope        TEXT    NOT NULL,
  auth_time    INTEGER NOT NULL,                  -- when the person signed in
  amr          TEXT    NOT NULL,                  -- and how
  acr          TEXT    NOT NULL,
  expires_at   INTEGER NOT NULL,
  spent_at     INTEGER
) STRICT;
CREATE INDEX oidc_codes_sid ON oidc_codes (sid);
CREATE INDEX oidc_codes_expiry ON oidc_codes (expires_at);

-- Access tokens and refresh tokens. All refresh tokens of a grant are one family.
CREATE TABLE oidc_tokens (
  token_hash BLOB    NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,                    -- access or refresh
  grant_id   BLOB    NOT NULL,
  sid        BLOB    NOT NULL,
  client_id  TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  auth_time  INTEGER NOT NULL,
  amr        TEXT    NOT NULL,
  acr        TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  spent_at   INTEGER                              -- when a refresh token was exchanged for its successor
) STRICT;
CREATE INDEX oidc_tokens_grant ON oidc_tokens (grant_id);
CREATE INDEX oidc_tokens_sid ON oidc_tokens (sid);
CREATE INDEX oidc_tokens_expiry ON oidc_tokens (expires_at);

-- Mails and requests to other services --------------------------------------------------------------------------------

-- Mails that wait to be sent. A row contains no secret of a link, because the worker makes the secret when it sends the
-- mail. So neither this table nor the write-ahead log contains a working link.
CREATE TABLE outbox (
  id             BLOB    NOT NULL PRIMARY KEY,
  kind           TEXT    NOT NULL,                -- mail/mails.rs
  subject_id     BLOB    NOT NULL,                -- an account or an old account
  recipient      TEXT    NOT NULL,
  language       TEXT    NOT NULL,
  region         TEXT    NOT NULL,
  details        TEXT    NOT NULL,                -- JSON: what the mail says besides its link
  change_number  INTEGER,                         -- also in `details`, by which one mail is found and removed
  device_hash    TEXT,                            -- also in `details`, for the same purpose; base64
  priority       INTEGER NOT NULL DEFAULT 0,      -- mails that people wait for are 0, notices 1, bulk mails 2
  created_at     INTEGER NOT NULL,
  due_at         INTEGER NOT NULL,                -- the next attempt, or the end of a worker's claim
  attempts       INTEGER NOT NULL,
  deferred_since INTEGER,                         -- since when the mail server accepts no mail of this program
  failed_at      INTEGER,                         -- given up; kept for the operator for a while
  last_error     TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (priority, due_at) WHERE failed_at IS NULL;
CREATE INDEX outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX outbox_subject ON outbox (subject_id, kind);
CREATE INDEX outbox_recipient ON outbox (recipient);

-- Mails that were sent, without address and text.
CREATE TABLE sent_mails (
  id         BLOB    NOT NULL PRIMARY KEY,
  subject_id BLOB    NOT NULL,                    -- an account or an old account
  kind       TEXT    NOT NULL,
  queued_at  INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX sent_mails_subject ON sent_mails (subject_id, queued_at);
CREATE INDEX sent_mails_sent ON sent_mails (sent_at);

-- Mails of a site without a mail server, for /account/dev/mail.
CREATE TABLE kept_mail (
  id         BLOB    NOT NULL PRIMARY KEY,
  subject_id BLOB,                                -- the account with which the mail is deleted
  recipient  TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  text       TEXT    NOT NULL,
  html       TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_mail_age ON kept_mail (created_at);

-- HTTP requests to other services that wait to be sent: webhooks and logout tokens. A row has no personal data.
CREATE TABLE deliveries (
  id         BLOB    NOT NULL PRIMARY KEY,        -- also the id of the message, the same for every attempt
  kind       TEXT    NOT NULL,                    -- webhook or logout
  endpoint   TEXT    NOT NULL,                    -- the key of its receiver (outbox/requests.rs)
  merge_key  TEXT,                                -- a newer request with this key says it all; NULL: each one counts
  facts      TEXT    NOT NULL,                    -- JSON, of which the worker makes the request
  created_at INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,                    -- the next attempt, or the end of a worker's claim
  attempts   INTEGER NOT NULL,
  last_error TEXT
) STRICT;
CREATE INDEX deliveries_due ON deliveries (endpoint, due_at);
CREATE INDEX deliveries_oldest ON deliveries (endpoint, created_at);
CREATE INDEX deliveries_merge ON deliveries (endpoint, merge_key) WHERE merge_key IS NOT NULL;

-- Support and the accounts of the older system ------------------------------------------------------------------------

CREATE TABLE support_roles (
  account_id BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  role       TEXT    NOT NULL,                    -- support or admin
  granted_at INTEGER NOT NULL
) STRICT;

-- What agents and operators did. No foreign keys, because the audit outlives the accounts.
CREATE TABLE support_audit (
  id         BLOB    NOT NULL PRIMARY KEY,
  at         INTEGER NOT NULL,
  operator   TEXT,                                -- the operating system's user of a command
  agent_id   BLOB,                                -- or the account of the agent
  action     TEXT    NOT NULL,
  account_id BLOB,                                -- an account or an old account; NULL: a lookup without a result
  reason     TEXT,
  refusal    TEXT                                 -- the error code of a refused action; NULL: it was done
) STRICT;
CREATE INDEX support_audit_at ON support_audit (at);

-- Accounts of the older system, which wait until their owners migrate them.
CREATE TABLE legacy_accounts (
  id                BLOB    NOT NULL PRIMARY KEY,
  legacy_id         TEXT,                         -- the id in the older system
  row_hash          BLOB    NOT NULL,             -- of the imported row, which shows whether the row has changed
  email             TEXT    NOT NULL,
  email_key         TEXT    NOT NULL,
  username          TEXT,
  username_key      TEXT,                         -- reserved while the account waits
  password_hash     TEXT,                         -- in a format of crypto/hashing/legacy.rs
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
  refused_at        INTEGER,                      -- under age: kept for later
  migrated_at       INTEGER,
  account_id        BLOB,                         -- the account that it became
  CONSTRAINT legacy_accounts_email_key UNIQUE (email_key)
) STRICT;
CREATE INDEX legacy_accounts_legacy_id ON legacy_accounts (legacy_id) WHERE legacy_id IS NOT NULL;
CREATE INDEX legacy_accounts_username ON legacy_accounts (username_key) WHERE migrated_at IS NULL;
CREATE INDEX legacy_accounts_account ON legacy_accounts (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX legacy_accounts_unicode_email_key ON legacy_accounts (id)
  WHERE octet_length(email_key) <> length(email_key);

-- Keys of this installation, which the first start makes and all nodes share.
CREATE TABLE secrets (
  name  TEXT    NOT NULL PRIMARY KEY,
  value BLOB    NOT NULL
) STRICT;
