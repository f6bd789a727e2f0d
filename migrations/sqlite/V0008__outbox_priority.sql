-- Mails that people wait for go before notices (1), and those before bulk mail (2).
ALTER TABLE outbox ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
-- Since when the mail server takes nothing from this program; NULL: the last answer was about the mail.
ALTER TABLE outbox ADD COLUMN deferred_since INTEGER;
UPDATE outbox SET priority = 2 WHERE kind = 'invitation';
UPDATE outbox SET priority = 1 WHERE kind IN ('new_device_notice', 'password_reset_done', 'password_changed',
  'email_changed', 'email_restored');
DROP INDEX outbox_due;
CREATE INDEX IF NOT EXISTS outbox_due ON outbox (priority, due_at) WHERE failed_at IS NULL;
-- Their invitation was given up: the next `account legacy invite` takes them again.
UPDATE legacy_accounts SET invited_at = NULL WHERE migrated_at IS NULL AND bounced_at IS NULL
  AND id IN (SELECT subject_id FROM outbox WHERE kind = 'invitation' AND failed_at IS NOT NULL);
