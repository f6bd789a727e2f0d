-- HTTP requests to other services that wait to be sent: webhooks today. A row holds no personal data.
CREATE TABLE deliveries (
  id         UUID    NOT NULL PRIMARY KEY,        -- also the id of the message, the same for every try
  kind       TEXT    NOT NULL,                    -- webhook
  endpoint   TEXT    NOT NULL,                    -- the key of its receiver (src/deliveries)
  facts      TEXT    NOT NULL,                    -- JSON; the request is made of it when it is sent
  created_at BIGINT  NOT NULL,
  due_at     BIGINT  NOT NULL,                    -- the next try, or the end of a worker's claim
  attempts   BIGINT  NOT NULL,
  last_error TEXT
);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (endpoint, due_at);
CREATE INDEX IF NOT EXISTS deliveries_oldest ON deliveries (endpoint, created_at);

-- Since when mails to the address of the account are returned, and the status (RFC 3463) of the last one.
ALTER TABLE accounts ADD COLUMN bounced_at BIGINT;
ALTER TABLE accounts ADD COLUMN bounce_status TEXT;
