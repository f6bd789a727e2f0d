-- What happened to an account: the person's own list, and what the log says too. Removed with
-- `lifetimes.activity`. Ids are UUIDv7, so their order is the order in time.
CREATE TABLE security_events (
  id          UUID    NOT NULL,
  account_id  UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL,                   -- domain/security_event.rs
  at          BIGINT  NOT NULL,
  actor       TEXT    NOT NULL,                   -- self, support or system
  device_name TEXT,                               -- our own phrase: "Firefox · Windows"
  device_hash BYTEA,                               -- cookie hash of that browser: "That wasn't me" forgets it
  network     TEXT,                               -- a /24 or a /48
  details     TEXT    NOT NULL,                   -- JSON, without addresses and secrets
  PRIMARY KEY (account_id, id)
);
CREATE INDEX IF NOT EXISTS security_events_age ON security_events (at);

-- When and how the person last proved to be the owner. Sessions of earlier versions count as old: 0.
ALTER TABLE sessions ADD COLUMN authenticated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN methods TEXT NOT NULL DEFAULT 'password';   -- domain/auth_method.rs
