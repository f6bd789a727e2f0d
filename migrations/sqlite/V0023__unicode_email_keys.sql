-- Addresses with letters outside ASCII, whose keys the program brings up to its present rule (store/email_keys.rs).
CREATE INDEX IF NOT EXISTS accounts_unicode_email_key ON accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
CREATE INDEX IF NOT EXISTS legacy_accounts_unicode_email_key ON legacy_accounts (id)
  WHERE octet_length(email_key) <> length(email_key);
