-- Tools with an SQLite before 3.43, such as Debian 12's `sqlite3`, lack octet_length() and refuse a database with these
-- indexes, which no query uses.
DROP INDEX IF EXISTS accounts_unicode_email_key;
DROP INDEX IF EXISTS legacy_accounts_unicode_email_key;

-- One number orders the changes of an account: undo links compare the numbers of changes.
ALTER TABLE accounts ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0; -- of the latest change; only grows
UPDATE accounts SET change_number = latest.number FROM (
  SELECT account_id, MAX(number) AS number FROM (
    SELECT account_id, created_at AS number FROM credentials
    UNION ALL SELECT account_id, confirmed_at FROM totp WHERE confirmed_at IS NOT NULL
    UNION ALL SELECT account_id, created_at FROM recovery_codes
    UNION ALL SELECT account_id, requested_at FROM second_factor_resets
    UNION ALL SELECT id, deletion_change_number FROM accounts WHERE deletion_change_number IS NOT NULL
    UNION ALL SELECT id, email_change_number FROM accounts WHERE email_change_number > 0
  ) AS changes GROUP BY account_id
) AS latest WHERE accounts.id = latest.account_id;

-- The change by which the account left the address. NULL: the address was not proved, or an undo link has removed it.
ALTER TABLE former_emails ADD COLUMN change_number INTEGER;
-- Release 1.0 recorded the removed address less than a minute after the time of the undo's event.
UPDATE former_emails SET change_number = changed_at
WHERE EXISTS (SELECT 1 FROM accounts WHERE id = account_id AND email_verified_at <= changed_at)
  AND NOT EXISTS (SELECT 1 FROM security_events WHERE security_events.account_id = former_emails.account_id
    AND kind = 'email_change_undone' AND at BETWEEN changed_at - 60000 AND changed_at);

UPDATE tokens SET change_number = created_at WHERE change_number IS NULL;
UPDATE outbox SET change_number = created_at WHERE change_number IS NULL;

-- Acts that wait: changes of an account that were requested or announced, and that can still be stopped. At most one act
-- of a kind for an account.
CREATE TABLE pending_acts (
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  act          TEXT    NOT NULL,                  -- store/pending_acts.rs
  number       INTEGER NOT NULL,                  -- undo links with a lower number stop the act
  requested_at INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,                  -- from when it can happen
  ends_at      INTEGER,                           -- when it ends if it has not happened; NULL: it ends by happening
  email        TEXT,                              -- the new address of an email change
  PRIMARY KEY (account_id, act)
) STRICT;
CREATE INDEX IF NOT EXISTS pending_acts_due ON pending_acts (act, due_at);
CREATE INDEX IF NOT EXISTS pending_acts_end ON pending_acts (ends_at) WHERE ends_at IS NOT NULL;
-- The acts that waited in the earlier places. An earlier release that starts again knows none of them, because an act that
-- was stopped meanwhile must not happen. Before 1.0 a requested deletion had no number; every undo link cancels it.
INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
  SELECT id, 'deletion', COALESCE(deletion_change_number, deletion_due_at),
    COALESCE(deletion_change_number, created_at), deletion_due_at
  FROM accounts WHERE deletion_due_at IS NOT NULL;
INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
  SELECT id, 'inactivity', inactive_due_at - 5184000000, inactive_due_at - 5184000000, inactive_due_at
  FROM accounts WHERE inactive_due_at IS NOT NULL; -- 60 days before the deletion
INSERT INTO pending_acts (account_id, act, number, requested_at, due_at, ends_at)
  SELECT account_id, 'factor_reset', requested_at, requested_at, due_at, expires_at FROM second_factor_resets;
INSERT INTO pending_acts (account_id, act, number, requested_at, due_at, ends_at, email)
  SELECT subject_id, 'email_change', MAX(t.created_at), MAX(t.created_at), MAX(t.created_at), MAX(t.expires_at), MAX(t.email)
  FROM tokens t JOIN accounts ON accounts.id = t.subject_id
  WHERE t.purpose = 'email_change' AND t.requested_at IS NOT NULL AND t.spent_at IS NULL GROUP BY subject_id;
UPDATE accounts SET deletion_due_at = NULL, inactive_due_at = NULL
  WHERE deletion_due_at IS NOT NULL OR inactive_due_at IS NOT NULL;
DELETE FROM second_factor_resets;
DELETE FROM tokens WHERE purpose = 'email_change' AND requested_at IS NOT NULL;
UPDATE tokens SET requested_at = created_at WHERE requested_at IS NULL;

-- The methods of the last proof of identity at assurance level 2. NULL beside a level_two_at of version 1.0: the column
-- methods contains them.
ALTER TABLE sessions ADD COLUMN level_two_methods TEXT;

-- Held usernames of an account, which its deletion unlinks from it.
CREATE INDEX IF NOT EXISTS names_held ON names (account_id) WHERE kind = 'held_username' AND account_id IS NOT NULL;
-- The former email addresses of a legacy account.
CREATE INDEX IF NOT EXISTS names_former_email ON names (account_id) WHERE kind = 'former_email';
