-- Places the tables on a Citus cluster (docs/scaling.md). Run it on the coordinator after `account migrate`, and
-- again after each migration; existing placements stay unchanged:
--
--   psql --set ON_ERROR_STOP=1 --file deploy/citus.sql "$DATABASE_URL"
--
-- Each member holds all reference tables, so that addresses and usernames are unique in the whole cluster; the
-- tables that change most are distributed over the members. Each table is placed in its own transaction.

CREATE EXTENSION IF NOT EXISTS citus;

-- Deleting a device or an account also deletes rows of `sessions` by a foreign key. Within one transaction Citus
-- allows that only if statements over several shards run one after the other. Applies to new connections.
DO $$
BEGIN
  EXECUTE format('ALTER DATABASE %I SET citus.multi_shard_modify_mode = %L', current_database(), 'sequential');
END
$$;
SET citus.multi_shard_modify_mode = 'sequential';

-- Reference tables, referenced ones first.
SELECT create_reference_table(name)
FROM unnest(ARRAY[
  'accounts',
  'devices',
  'former_emails',
  'password_history',
  'credentials',
  'totp',
  'recovery_codes',
  'second_factor_resets',
  'legacy_accounts',
  'outbox',
  'deliveries',
  'kept_mail',
  'sent_mails',
  'support_roles',
  'support_audit',
  'secrets',
  'oidc_keys',
  'names',
  'deleted_accounts',
  'refinery_schema_history'
]) WITH ORDINALITY AS wanted (name, place)
WHERE NOT EXISTS (
  SELECT FROM citus_tables
  WHERE table_name = name::regclass AND citus_table_type = 'reference'
)
ORDER BY place;

-- Distributed tables and their shard keys.
SELECT create_distributed_table(name, shard_key, colocate_with => 'none')
FROM (VALUES
  ('sessions', 'id_hash'),
  ('security_events', 'account_id'),
  ('consents', 'account_id'),
  ('tokens', 'token_hash'),
  ('spent_challenges', 'challenge_hash'),
  ('sign_in_challenges', 'token_hash'),
  ('app_sessions', 'sid'),
  ('oidc_codes', 'code_hash'),
  ('oidc_tokens', 'token_hash'),
  ('limits', 'key')
) AS wanted (name, shard_key)
WHERE NOT EXISTS (
  SELECT FROM citus_tables
  WHERE table_name = name::regclass AND citus_table_type = 'distributed'
);
