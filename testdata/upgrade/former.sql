-- What the last version before 1.0 has besides the rows of V0001.sql: a reserved username, and a deleted account whose
-- username `held` is held. The hash of the username has the key in `secrets`.
INSERT INTO username_reservations (username_key, reserved_at, device_hash)
  VALUES ('reserved', $now, NULL);
INSERT INTO deleted_accounts (id, deleted_at, username_hash, held_until)
  VALUES (id('0190a0a0-0000-7000-8000-000000000005'), $now, bytes('f754df2470d3050ee195e5ab2b0aece8548738e1f8aeb0080ee10727d183a60c'), $later);
INSERT INTO secrets (name, value)
  VALUES ('usernames', bytes('0000000000000000000000000000000000000000000000000000000000000000'));
