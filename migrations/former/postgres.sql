-- Changes the schema of the last version before 1.0 into that of V0001, with its rows. The tables that are new in V0001
-- exist already (src/db/former.rs).

ALTER TABLE accounts ADD COLUMN last_sign_in_month BIGINT GENERATED ALWAYS AS (last_sign_in_at / 2592000000) STORED;
ALTER TABLE accounts SET (fillfactor = 90);
DROP INDEX accounts_last_sign_in;
CREATE INDEX accounts_last_sign_in ON accounts (last_sign_in_month);
ALTER TABLE accounts DROP CONSTRAINT accounts_email_key, DROP CONSTRAINT accounts_username_key;

INSERT INTO names (key, kind, account_id) SELECT email_key, 'email', id FROM accounts;
INSERT INTO names (key, kind, account_id) SELECT username_key, 'username', id FROM accounts;
-- The default of `lifetimes.unverified_account` is seven days.
INSERT INTO names (key, kind, device_hash, until)
  SELECT username_key, 'reserved_username', device_hash, reserved_at + 604800000 FROM username_reservations;
INSERT INTO names (key, kind, until)
  SELECT encode(username_hash, 'hex'), 'held_username', MAX(held_until) FROM deleted_accounts
  WHERE username_hash IS NOT NULL GROUP BY username_hash;
DROP TABLE username_reservations;
ALTER TABLE deleted_accounts DROP COLUMN username_hash, DROP COLUMN held_until;

-- The cookie of a former session does not contain the account.
INSERT INTO names (key, kind, account_id, until)
  SELECT encode(id_hash, 'hex'), 'former_session', account_id, expires_at FROM sessions;
ALTER TABLE sessions DROP CONSTRAINT sessions_pkey, DROP CONSTRAINT sessions_device_id_fkey,
  ADD PRIMARY KEY (account_id, id_hash);
ALTER TABLE devices DROP CONSTRAINT devices_pkey, ADD PRIMARY KEY (account_id, id);
ALTER TABLE sessions
  ADD FOREIGN KEY (account_id, device_id) REFERENCES devices (account_id, id) ON DELETE CASCADE;
DROP INDEX sessions_account;
DROP INDEX sessions_device;
CREATE INDEX sessions_device ON sessions (account_id, device_id);
ALTER TABLE credentials DROP CONSTRAINT credentials_pkey, ADD PRIMARY KEY (account_id, id);
ALTER TABLE app_sessions DROP CONSTRAINT app_sessions_pkey, ADD PRIMARY KEY (account_id, sid, client_id);
DROP INDEX app_sessions_account;
ALTER TABLE sign_in_challenges DROP CONSTRAINT sign_in_challenges_account_id_fkey;
