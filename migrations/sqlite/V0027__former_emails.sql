-- The addresses that an account had before, for support: a person knows the former address, not the one of a thief.
-- Kept for 180 days, and only as keyed hashes.
CREATE TABLE former_emails (
  account_id BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email_hash BLOB    NOT NULL,                    -- keyed hash of the key of the address
  changed_at INTEGER NOT NULL,                    -- when the account got another address
  PRIMARY KEY (account_id, email_hash)
) STRICT;
CREATE INDEX IF NOT EXISTS former_emails_hash ON former_emails (email_hash);
CREATE INDEX IF NOT EXISTS former_emails_changed ON former_emails (changed_at);

-- When an operator corrected username or names, for applications; NULL: never.
ALTER TABLE accounts ADD COLUMN details_changed_at INTEGER;
