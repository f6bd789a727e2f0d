-- The error code of an action of support that was refused; null: it was done.
ALTER TABLE support_audit ADD COLUMN refusal TEXT;

-- Counted for /metrics.
CREATE INDEX IF NOT EXISTS accounts_bounced ON accounts (bounced_at) WHERE bounced_at IS NOT NULL;
