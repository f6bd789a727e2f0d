-- The OpenID Connect provider (src/oidc).

-- Keys that sign ID tokens and logout tokens. The number decides which of two nodes made the next key.
CREATE TABLE oidc_keys (
  id           UUID    NOT NULL PRIMARY KEY,
  algorithm    TEXT    NOT NULL,                  -- RS256, ES256 or EdDSA
  number       BIGINT  NOT NULL,                  -- counts the keys of an algorithm
  kid          TEXT    NOT NULL,                  -- thumbprint (RFC 7638)
  jwk          TEXT    NOT NULL,                  -- the public key as JSON (RFC 7517)
  private_key  BYTEA   NOT NULL,                  -- sealed (src/sealing.rs)
  created_at   BIGINT  NOT NULL,
  active_at    BIGINT  NOT NULL,                  -- signs from then on, until the next number does
  withdrawn_at BIGINT,                           -- compromised: from then on neither signs nor counts
  CONSTRAINT oidc_keys_number UNIQUE (algorithm, number)
);

-- A session's name for applications. It stays when the session gets another id. NULL: the session signed in to none.
ALTER TABLE sessions ADD COLUMN sid UUID;
CREATE INDEX IF NOT EXISTS sessions_sid ON sessions (sid) WHERE sid IS NOT NULL;

-- The applications that a session signed in to.
CREATE TABLE app_sessions (
  sid           UUID    NOT NULL,                 -- that of the session
  client_id     TEXT    NOT NULL,
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  first_used_at BIGINT NOT NULL,
  last_used_at  BIGINT  NOT NULL,
  PRIMARY KEY (sid, client_id)
);
CREATE INDEX IF NOT EXISTS app_sessions_account ON app_sessions (account_id);

-- Authorization codes. A used one is kept for a while: its second use revokes the tokens of its grant.
CREATE TABLE oidc_codes (
  code_hash    BYTEA   NOT NULL PRIMARY KEY,
  grant_id     UUID    NOT NULL,                  -- of the tokens that it is exchanged for
  sid          UUID    NOT NULL,                  -- of the session that it was issued in
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL,
  challenge    TEXT,                              -- PKCE, S256
  nonce        TEXT,
  scope        TEXT    NOT NULL,
  auth_time    BIGINT  NOT NULL,                  -- when and how the person had signed in
  amr          TEXT    NOT NULL,
  acr          TEXT    NOT NULL,
  expires_at   BIGINT  NOT NULL,
  spent_at     BIGINT
);
CREATE INDEX IF NOT EXISTS oidc_codes_sid ON oidc_codes (sid);
CREATE INDEX IF NOT EXISTS oidc_codes_expiry ON oidc_codes (expires_at);

-- Access tokens and refresh tokens. All refresh tokens of a grant are one family.
CREATE TABLE oidc_tokens (
  token_hash BYTEA   NOT NULL PRIMARY KEY,
  kind       TEXT    NOT NULL,                    -- access or refresh
  grant_id   UUID    NOT NULL,
  sid        UUID    NOT NULL,
  client_id  TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  auth_time  BIGINT  NOT NULL,
  amr        TEXT    NOT NULL,
  acr        TEXT    NOT NULL,
  expires_at BIGINT NOT NULL,
  spent_at   BIGINT                              -- a refresh token: when it was exchanged for its successor
);
CREATE INDEX IF NOT EXISTS oidc_tokens_grant ON oidc_tokens (grant_id);
CREATE INDEX IF NOT EXISTS oidc_tokens_sid ON oidc_tokens (sid);
CREATE INDEX IF NOT EXISTS oidc_tokens_expiry ON oidc_tokens (expires_at);
