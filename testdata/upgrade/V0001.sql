-- The statements of release 1.0, whose schema is V0001: a verified account that has signed in on one device, an open reset
-- link, a queued mail, and a legacy account that has not migrated. `id('…')` and `bytes('…')` stand for the literals of
-- the two databases, `$name` for a value of the test.
INSERT INTO accounts (id, email, email_key, username, username_key, password_hash, password_changed_at, language,
  region, country, zipcode, birthday, first_name, last_name, marketing_consent, marketing_consent_at,
  email_verified_at, created_at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000001'), 'Olga@example.org', 'olga@example.org', 'Olga', 'olga',
    '$password_hash', $now, 'en', 'default', 'us', '12345', '1990-02-03', NULL, NULL, 1, $now, $now, $now);
INSERT INTO names (key, kind, account_id)
  VALUES ('olga@example.org', 'email', id('0190a0a0-0000-7000-8000-000000000001')),
    ('olga', 'username', id('0190a0a0-0000-7000-8000-000000000001'));
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
    $now, $later, $now, $now);
INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at, due_at, attempts,
  change_number, device_hash, priority)
  VALUES (id('0190a0a0-0000-7000-8000-000000000003'), 'password_changed', id('0190a0a0-0000-7000-8000-000000000001'),
    'Olga@example.org', 'en', 'default', '{"at":$now}', $now, $now, 0, $now, NULL, 1);
INSERT INTO legacy_accounts (id, email, email_key, imported_at, row_hash)
  VALUES (id('0190a0a0-0000-7000-8000-000000000004'), 'old@example.org', 'old@example.org', $now, bytes('00'));
