-- Requests of one endpoint with the same key report states that a newer request reports as well, so at most one of them
-- waits. Null: each request counts.
ALTER TABLE deliveries ADD COLUMN merge_key TEXT;
CREATE INDEX IF NOT EXISTS deliveries_merge ON deliveries (endpoint, merge_key) WHERE merge_key IS NOT NULL;
