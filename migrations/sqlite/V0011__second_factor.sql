-- Authenticator apps (RFC 6238). The secret is sealed under security.encryption_key_file.
CREATE TABLE totp (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BLOB    NOT NULL,                  -- sealed (src/sealing.rs)
  created_at   INTEGER NOT NULL,                  -- when the set-up began
  confirmed_at INTEGER,                           -- null until the first right code; undo links compare it
  last_step    INTEGER NOT NULL                   -- the newest 30 s step that a code was accepted for
) STRICT;

-- Recovery codes of the second factor. Each works once: its use deletes it.
CREATE TABLE recovery_codes (
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  code_hash  BLOB    NOT NULL,
  created_at INTEGER NOT NULL,                    -- undo links compare it
  PRIMARY KEY (account_id, code_hash)
) STRICT;

-- A requested reset of a lost second factor. It is carried out by a mailed link after due_at.
CREATE TABLE second_factor_resets (
  account_id   BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  requested_at INTEGER NOT NULL,                  -- undo links compare it
  due_at       INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS second_factor_resets_expiry ON second_factor_resets (expires_at);

-- Sign-ins that have the right password and still lack the second factor.
CREATE TABLE sign_in_challenges (
  token_hash BLOB    NOT NULL PRIMARY KEY,
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tries      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS sign_in_challenges_account ON sign_in_challenges (account_id);
CREATE INDEX IF NOT EXISTS sign_in_challenges_expiry ON sign_in_challenges (expires_at);

-- Until when a sign-in on this device is not asked for the second factor.
ALTER TABLE devices ADD COLUMN trusted_until INTEGER NOT NULL DEFAULT 0;
