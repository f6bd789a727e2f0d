-- Copies the rows of the last version before 1.0 into tables of V0001, whose names begin with `new_` (src/db/former.rs).

INSERT INTO new_accounts (id, email, email_key, email_verified_at, email_change_number, username, username_key,
    password_hash, password_changed_at, first_name, last_name, details_changed_at, birthday, country, zipcode, language,
    region, marketing_consent, marketing_consent_at, created_at, first_sign_in_at, last_sign_in_at, inactive_due_at,
    disabled_at, deletion_due_at, deletion_change_number, bounced_at, bounce_status)
  SELECT id, email, email_key, email_verified_at, email_change_number, username, username_key, password_hash,
    password_changed_at, first_name, last_name, details_changed_at, birthday, country, zipcode, language, region,
    marketing_consent, marketing_consent_at, created_at, first_sign_in_at, last_sign_in_at, inactive_due_at,
    disabled_at, deletion_due_at, deletion_change_number, bounced_at, bounce_status FROM accounts;

INSERT INTO names (key, kind, account_id) SELECT email_key, 'email', id FROM accounts;
INSERT INTO names (key, kind, account_id) SELECT username_key, 'username', id FROM accounts;
-- The default of `lifetimes.unverified_account` is seven days.
INSERT INTO names (key, kind, device_hash, until)
  SELECT username_key, 'reserved_username', device_hash, reserved_at + 604800000 FROM username_reservations;
INSERT INTO names (key, kind, until)
  SELECT lower(hex(username_hash)), 'held_username', MAX(held_until) FROM deleted_accounts
  WHERE username_hash IS NOT NULL GROUP BY username_hash;
DROP TABLE username_reservations;
DROP INDEX deleted_accounts_username;
DROP INDEX deleted_accounts_hold;
ALTER TABLE deleted_accounts DROP COLUMN username_hash;
ALTER TABLE deleted_accounts DROP COLUMN held_until;

-- The cookie of a former session does not contain the account.
INSERT INTO names (key, kind, account_id, until)
  SELECT lower(hex(id_hash)), 'former_session', account_id, expires_at FROM sessions;
INSERT INTO new_devices (id, account_id, cookie_hash, name, enrolled_at, last_used_at, trusted_until)
    SELECT id, account_id, cookie_hash, name, enrolled_at, last_used_at, trusted_until FROM devices;
INSERT INTO new_sessions (id_hash, account_id, device_id, sid, created_at, last_used_at, idle_until, expires_at,
    authenticated_at, methods, level_two_at, support_used_at)
    SELECT id_hash, account_id, device_id, sid, created_at, last_used_at, idle_until, expires_at, authenticated_at,
    methods, level_two_at, support_used_at FROM sessions;
INSERT INTO new_credentials (id, account_id, kind, rp_id, credential_id, data, aaguid, name, synced, created_at,
    last_used_at)
    SELECT id, account_id, kind, rp_id, credential_id, data, aaguid, name, synced, created_at, last_used_at FROM
    credentials;
INSERT INTO new_app_sessions (sid, client_id, account_id, first_used_at, last_used_at)
    SELECT sid, client_id, account_id, first_used_at, last_used_at FROM app_sessions;
INSERT INTO new_sign_in_challenges (token_hash, account_id, tries, expires_at)
    SELECT token_hash, account_id, tries, expires_at FROM sign_in_challenges;
