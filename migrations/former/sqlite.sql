-- Copies the rows of the last version before 1.0 into tables of V0001, whose names begin with `new_` (src/db/former.rs).

INSERT INTO new_accounts (id, email, email_key, email_verified_at, email_change_number, username, username_key,
    password_hash, password_changed_at, first_name, last_name, details_changed_at, birthday, country, zipcode, language,
    region, marketing_consent, marketing_consent_at, created_at, first_sign_in_at, last_sign_in_at, inactive_due_at,
    disabled_at, deletion_due_at, deletion_change_number, bounced_at, bounce_status)
  SELECT id, email, email_key, email_verified_at, email_change_number, username, username_key, password_hash,
    password_changed_at, first_name, last_name, details_changed_at, birthday, country, zipcode, language, region,
    marketing_consent, marketing_consent_at, created_at, first_sign_in_at, last_sign_in_at, inactive_due_at,
    disabled_at, deletion_due_at, deletion_change_number, bounced_at, bounce_status FROM accounts;
