-- Authenticator apps (RFC 6238). The secret is sealed under security.encryption_key_file.
CREATE TABLE totp (
  account_id   UUID    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       BYTEA   NOT NULL,                  -- sealed (src/sealing.rs)
  created_at   BIGINT  NOT NULL,                  -- when the set-up began
  confirmed_at BIGINT,                            -- null until the first right code; undo links compare it
  last_step    BIGINT  NOT NULL                   -- the newest 30 s step that a code was accepted for
);

-- Recovery codes of the second factor. Each works once: its use deletes it.
CREATE TABLE recovery_codes (
  account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  code_hash  BYTEA   NOT NULL,
  created_at BIGINT  NOT NULL,                    -- undo links compare it
  PRIMARY KEY (account_id, code_hash)
);

-- A requested reset of a lost second factor. It is carried out by a mailed link after due_at.
CREATE TABLE second_factor_resets (
  account_id   UUID    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  requested_at BIGINT  NOT NULL,                  -- undo links compare it
  due_at       BIGINT  NOT NULL,
  expires_at   BIGINT  NOT NULL
);
CREATE INDEX IF NOT EXISTS second_factor_resets_expiry ON second_factor_resets (expires_at);

-- Sign-ins that have the right password and still lack the second factor.
CREATE TABLE sign_in_challenges (
  token_hash BYTEA   NOT NULL PRIMARY KEY,
  account_id UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  tries      BIGINT  NOT NULL,
  expires_at BIGINT  NOT NULL
);
CREATE INDEX IF NOT EXISTS sign_in_challenges_account ON sign_in_challenges (account_id);
CREATE INDEX IF NOT EXISTS sign_in_challenges_expiry ON sign_in_challenges (expires_at);

-- Until when a sign-in on this device is not asked for the second factor.
ALTER TABLE devices ADD COLUMN trusted_until BIGINT NOT NULL DEFAULT 0;
