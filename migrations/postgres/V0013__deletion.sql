-- Accounts that the operator has disabled, and those that will be deleted. Times are milliseconds since 1970 UTC.
ALTER TABLE accounts ADD COLUMN disabled_at BIGINT;         -- NULL: not disabled
ALTER TABLE accounts ADD COLUMN deletion_due_at BIGINT;     -- NULL: no deletion was requested
-- For lifetimes.inactive_account. The last sign-in, moved forward in steps of a day; NULL: not known yet.
ALTER TABLE accounts ADD COLUMN last_sign_in_at BIGINT;
ALTER TABLE accounts ADD COLUMN inactive_due_at BIGINT;     -- deleted then without a sign-in; NULL: in use
CREATE INDEX IF NOT EXISTS accounts_deletion_due ON accounts (deletion_due_at) WHERE deletion_due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS accounts_inactive_due ON accounts (inactive_due_at) WHERE inactive_due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS accounts_last_sign_in ON accounts (last_sign_in_at);

-- What stays of a deleted account: its id is never given again, and its username is not free at once.
CREATE TABLE deleted_accounts (
  id            UUID   NOT NULL PRIMARY KEY,
  deleted_at    BIGINT NOT NULL,
  username_hash BYTEA,                              -- keyed hash (store/deleted_accounts.rs); NULL after held_until
  held_until    BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS deleted_accounts_username ON deleted_accounts (username_hash)
  WHERE username_hash IS NOT NULL;
CREATE INDEX IF NOT EXISTS deleted_accounts_hold ON deleted_accounts (held_until) WHERE username_hash IS NOT NULL;

-- The account that a kept mail belongs to: deleted with it. NULL: kept by an earlier version.
ALTER TABLE kept_mail ADD COLUMN subject_id UUID;

-- What is deleted with an account is found by these.
CREATE INDEX IF NOT EXISTS legacy_accounts_account ON legacy_accounts (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_recipient ON outbox (recipient);
