-- An import finds old accounts by their id of the older system.
CREATE INDEX IF NOT EXISTS legacy_accounts_legacy_id ON legacy_accounts (legacy_id) WHERE legacy_id IS NOT NULL;
