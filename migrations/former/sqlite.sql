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
