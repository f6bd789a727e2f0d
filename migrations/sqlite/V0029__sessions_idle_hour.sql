-- The hour in which a session expires by idleness, as on PostgreSQL.
ALTER TABLE sessions ADD COLUMN idle_hour INTEGER GENERATED ALWAYS AS (idle_until / 3600000) VIRTUAL;
DROP INDEX sessions_idle;
CREATE INDEX IF NOT EXISTS sessions_idle_hour ON sessions (idle_hour);
CREATE INDEX IF NOT EXISTS outbox_failed ON outbox (failed_at) WHERE failed_at IS NOT NULL;
