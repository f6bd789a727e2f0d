-- What release 1.0 leaves behind while a deletion, a deletion for inactivity, a reset of lost strong factors and a change
-- of the email address wait for one account.
UPDATE accounts SET deletion_due_at = $later, deletion_change_number = $now - 5, inactive_due_at = $later
  WHERE id = id('0190a0a0-0000-7000-8000-000000000001');
INSERT INTO second_factor_resets (account_id, requested_at, due_at, expires_at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000001'), $now + 7, $later, $later);
INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, device_name, created_at, expires_at,
  change_number, requested_at)
  VALUES (bytes('01'), 'email_change', id('0190a0a0-0000-7000-8000-000000000001'), 'new@example.org', NULL, NULL,
    $now - 3, $later, NULL, $now - 3);
INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, device_name, created_at, expires_at,
  change_number, requested_at)
  VALUES (bytes('02'), 'account_restore', id('0190a0a0-0000-7000-8000-000000000001'), 'Olga@example.org', NULL, NULL,
    $now, $later, NULL, NULL);
INSERT INTO outbox (id, kind, subject_id, recipient, language, region, details, created_at, due_at, attempts,
  change_number, device_hash, priority)
  VALUES (id('0190a0a0-0000-7000-8000-000000000005'), 'inactive_account', id('0190a0a0-0000-7000-8000-000000000001'),
    'Olga@example.org', 'en', 'default', '{"at":$now}', $later, $later, 0, NULL, NULL, 1);
-- Former addresses: left by a change, removed by an undo link, and not verified when the account left it.
INSERT INTO former_emails (account_id, email_hash, changed_at)
  VALUES (id('0190a0a0-0000-7000-8000-000000000001'), bytes('01'), $now + 100000),
    (id('0190a0a0-0000-7000-8000-000000000001'), bytes('02'), $now + 200005),
    (id('0190a0a0-0000-7000-8000-000000000001'), bytes('03'), $now - 1);
INSERT INTO security_events (id, account_id, kind, at, actor, details)
  VALUES (id('0190a0a0-0000-7000-8000-000000000006'), id('0190a0a0-0000-7000-8000-000000000001'),
    'email_change_undone', $now + 200000, 'self', '{}');
