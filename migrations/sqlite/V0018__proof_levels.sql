-- The time of the last proof of identity at assurance level 2, in milliseconds since 1970 UTC.
ALTER TABLE sessions ADD COLUMN level_two_at INTEGER;

-- The session that set the app up, and the wrong codes of its set-up.
ALTER TABLE totp ADD COLUMN session_hash BLOB;
ALTER TABLE totp ADD COLUMN failed_codes INTEGER NOT NULL DEFAULT 0;
