-- The OpenID Connect provider (src/oidc).

-- Keys that sign ID tokens and logout tokens. The number decides which of two nodes made the next key.
CREATE TABLE oidc_keys (
  id           BLOB    NOT NULL PRIMARY KEY,
  algorithm    TEXT    NOT NULL,                  -- RS256, ES256 or EdDSA
  number       INTEGER NOT NULL,                  -- counts the keys of an algorithm
  kid          TEXT    NOT NULL,                  -- thumbprint (RFC 7638)
  jwk          TEXT    NOT NULL,                  -- the public key as JSON (RFC 7517)
  private_key  BLOB    NOT NULL,                  -- sealed (src/sealing.rs)
  created_at   INTEGER NOT NULL,
  active_at    INTEGER NOT NULL,                  -- signs from then on, until the next number does
  withdrawn_at INTEGER,                           -- compromised: from then on neither signs nor counts
  CONSTRAINT oidc_keys_number UNIQUE (algorithm, number)
) STRICT;

-- A session's name for applications. It stays when the session gets another id. NULL: the session signed in to none.
ALTER TABLE sessions ADD COLUMN sid BLOB;
CREATE INDEX IF NOT EXISTS sessions_sid ON sessions (sid) WHERE sid IS NOT NULL;

-- The applications that a session signed in to.
CREATE TABLE app_sessions (
  sid           BLOB    NOT NULL,                 -- that of the session
  client_id     TEXT    NOT NULL,
  account_id    BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  first_used_at INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  PRIMARY KEY (sid, client_id)
) STRICT;
CREATE INDEX IF NOT EXISTS app_sessions_account ON app_sessions (account_id);

-- Authorization codes. A used one is kept for a while: its second use revokes the tokens of its grant.
CREATE TABLE oidc_codes (
  code_hash    BLOB    NOT NULL PRIMARY KEY,
  grant_id     BLOB    NOT NULL,                  -- of the tokens that it is exchanged for
  sid          BLOB    NOT NULL,                  -- of the session that it was issued in
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL,
  challenge    TEXT,                              -- PKCE, S256
  nonce        TEXT,
  scope        TEXT    NOT NULL,
  auth_time    INTEGER NOT NULL,                  -- when and how the person had signed in
  amr          TEXT    NOT NULL,
  acr          TEXT    NOT NULL,
  expires_at   INTEGER NOT NULL,
  spent_at     INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS oidc_codes_sid ON oidc_codes (sid);
CREATE INDEX IF NOT EXISTS oidc_codes_expiry ON oidc_codes (expires_at);

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
  spent_at   INTEGER                              -- a refresh token: when it was exchanged for its successor
) STRICT;
CREATE INDEX IF NOT EXISTS oidc_tokens_grant ON oidc_tokens (grant_id);
CREATE INDEX IF NOT EXISTS oidc_tokens_sid ON oidc_tokens (sid);
CREATE INDEX IF NOT EXISTS oidc_tokens_expiry ON oidc_tokens (expires_at);
