-- No query uses these indexes.
DROP INDEX IF EXISTS accounts_unicode_email_key;
DROP INDEX IF EXISTS legacy_accounts_unicode_email_key;

-- One number orders the changes of an account: undo links compare the numbers of changes.
ALTER TABLE accounts ADD COLUMN change_number BIGINT NOT NULL DEFAULT 0; -- of the latest change; only grows
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
ALTER TABLE former_emails ADD COLUMN change_number BIGINT;
UPDATE former_emails SET change_number = changed_at;

UPDATE tokens SET change_number = created_at WHERE change_number IS NULL;
UPDATE outbox SET change_number = created_at WHERE change_number IS NULL;
UPDATE tokens SET requested_at = created_at WHERE requested_at IS NULL;

-- The methods of the last proof of identity at assurance level 2. NULL beside a level_two_at of version 1.0: the column
-- methods contains them.
ALTER TABLE sessions ADD COLUMN level_two_methods TEXT;

-- Held usernames of an account, which its deletion unlinks from it.
CREATE INDEX IF NOT EXISTS names_held ON names (account_id) WHERE kind = 'held_username' AND account_id IS NOT NULL;
