-- Ways to prove an identity beside the password. Today all of them are passkeys.
CREATE TABLE credentials (
  id            UUID    NOT NULL PRIMARY KEY,
  account_id    UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind          TEXT    NOT NULL,                 -- passkey
  rp_id         TEXT    NOT NULL,                 -- the relying party (WebAuthn) that it works for
  credential_id BYTEA   NOT NULL,                 -- the authenticator's name for it
  data          TEXT    NOT NULL,                 -- JSON: public key, counter, backup flags (auth/passkey.rs)
  aaguid        TEXT    NOT NULL,                 -- the model of the authenticator
  name          TEXT    NOT NULL,                 -- the person's name for it
  synced        BIGINT  NOT NULL,                 -- 0 or 1: kept in an account of its provider
  created_at    BIGINT  NOT NULL,                 -- grows with every credential of an account: undo links compare it
  last_used_at  BIGINT ,
  CONSTRAINT credentials_credential_id UNIQUE (rp_id, credential_id)
);
CREATE INDEX IF NOT EXISTS credentials_account ON credentials (account_id, created_at);

-- Challenges that were used; each works once. Deleted when the challenge would have expired anyway.
CREATE TABLE spent_challenges (
  challenge_hash BYTEA   NOT NULL PRIMARY KEY,
  expires_at     BIGINT  NOT NULL
);
CREATE INDEX IF NOT EXISTS spent_challenges_expiry ON spent_challenges (expires_at);
