-- Rows of the last version before 1.0: those of V0001.sql, besides a reserved username, and a deleted account whose
-- username `held` is held. The hash of the username has the key in `secrets`.
INSERT INTO accounts (id, email, email_key, username, username_key, password_hash, password_changed_at, language,
  region, country, zipcode, birthday, first_name, last_name, marketing_consent, marketing_consent_at,
  email_verified_at, created_at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000001'), 'Olga@example.org', 'olga@example.org', 'Olga', 'olga',
    '$password_hash', $now, 'en', 'default', 'us', '12345', '1990-02-03', NULL, NULL, 1, $now, $now, $now);
INSERT INTO consents (id, account_id, consent, text_version, language, at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000001'), id('0190a0a0-0000-7000-8000-000000000001'), 1, 1, 'en', $now);
INSERT INTO devices (id, account_id, cookie_hash, name, enrolled_at, last_used_at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000002'), id('0190a0a0-0000-7000-8000-000000000001'),
    bytes('$device_hash'), 'Firefox · Linux', $now, $now);
INSERT INTO sessions (id_hash, account_id, device_id, created_at, last_used_at, idle_until, expires_at,
  authenticated_at, methods, level_two_at)
  VALUES (bytes('$session_hash'), id('0190a0a0-0000-7000-8000-000000000001'),
    id('0190a0a0-0000-7000-8000-000000000002'), $now, $now, $later, $later,
    $now, 'password', NULL);
UPDATE accounts SET first_sign_in_at = $now WHERE id = id('0190a0a0-0000-7000-8000-000000000001');
INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, device_name, created_at, expires_at,
  change_number, requested_at)
  VALUES (bytes('$token_hash'), 'reset', id('0190a0a0-0000-7000-8000-000000000001'), 'Olga@example.org', NULL, NULL,
    $now, $later, NULL, NULL);
INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at, due_at, attempts,
  change_number, device_hash, priority)
  VALUES (id('0190a0a0-0000-7000-8000-000000000003'), 'password_changed', id('0190a0a0-0000-7000-8000-000000000001'),
    'Olga@example.org', 'en', 'default', '{"at":$now}', $now, $now, 0, NULL, NULL, 1);
INSERT INTO legacy_accounts (id, email, email_key, imported_at, row_hash)
  VALUES (id('0190a0a0-0000-7000-8000-000000000004'), 'old@example.org', 'old@example.org', $now, bytes('00'));
INSERT INTO username_reservations (username_key, reserved_at, device_hash)
  VALUES ('reserved', $now, NULL);
INSERT INTO deleted_accounts (id, deleted_at, username_hash, held_until)
  VALUES (id('0190a0a0-0000-7000-8000-000000000005'), $now, bytes('f754df2470d3050ee195e5ab2b0aece8548738e1f8aeb0080ee10727d183a60c'), $later);
INSERT INTO secrets (name, value)
  VALUES ('usernames', bytes('0000000000000000000000000000000000000000000000000000000000000000'));
