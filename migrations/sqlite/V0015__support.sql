-- The support view: roles, and the audit of what agents and operators did.
CREATE TABLE support_roles (
  account_id BLOB    NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  role       TEXT    NOT NULL,                    -- support or admin
  granted_at INTEGER NOT NULL
) STRICT;

-- Survives the accounts: no foreign keys.
CREATE TABLE support_audit (
  id         BLOB    NOT NULL PRIMARY KEY,
  at         INTEGER NOT NULL,
  operator   TEXT,                                -- the operating system's user of a command
  agent_id   BLOB,                                -- or the account of the agent
  action     TEXT    NOT NULL,
  account_id BLOB,                                -- an account or a legacy account; null: a lookup without a result
  reason     TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS support_audit_at ON support_audit (at);

-- Mails that were sent, without address and text.
CREATE TABLE sent_mails (
  id         BLOB    NOT NULL PRIMARY KEY,
  subject_id BLOB    NOT NULL,                    -- an account or a legacy account
  kind       TEXT    NOT NULL,
  queued_at  INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS sent_mails_subject ON sent_mails (subject_id, queued_at);
CREATE INDEX IF NOT EXISTS sent_mails_sent ON sent_mails (sent_at);

-- The last request of the support view in this session.
ALTER TABLE sessions ADD COLUMN support_used_at INTEGER;
