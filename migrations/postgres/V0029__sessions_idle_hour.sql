-- The hour in which a session expires by idleness. A use of the session changes idle_until, and an index on a column
-- that changes would make each use rewrite every index of the table (PostgreSQL manual, 73.7 "Heap-Only Tuples").
ALTER TABLE sessions ADD COLUMN idle_hour BIGINT GENERATED ALWAYS AS (idle_until / 3600000) STORED;
ALTER TABLE sessions SET (fillfactor = 80);
DROP INDEX sessions_idle;
CREATE INDEX IF NOT EXISTS sessions_idle_hour ON sessions (idle_hour);
CREATE INDEX IF NOT EXISTS outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
