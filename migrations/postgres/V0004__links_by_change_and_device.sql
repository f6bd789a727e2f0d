-- The number of the account's latest address change. Numbers of one account only grow; see store/accounts.rs.
ALTER TABLE accounts ADD COLUMN email_change_number BIGINT NOT NULL DEFAULT 0;

-- The address change that an undo link takes back. NULL: made by a version before this one, then `created_at`
-- stands for it.
ALTER TABLE tokens ADD COLUMN change_number BIGINT;
-- When the device of an approval link asked. NULL: not such a link, or made by an earlier version.
ALTER TABLE tokens ADD COLUMN requested_at BIGINT;

-- What a queued mail is about, so that it can be taken back alone; both also stand in `details`.
ALTER TABLE outbox ADD COLUMN change_number BIGINT;
ALTER TABLE outbox ADD COLUMN device_hash TEXT;           -- base64, as in `details`
UPDATE outbox SET device_hash = details::json->>'device_hash' WHERE kind = 'approve_device';
