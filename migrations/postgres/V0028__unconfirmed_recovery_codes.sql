-- The session that made the code, while the code is pending; NULL: the code works.
ALTER TABLE recovery_codes ADD COLUMN session_hash BYTEA;
