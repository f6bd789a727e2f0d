-- Places the tables on a Citus cluster (docs/scaling.md). Run it on the coordinator after `account migrate`, and
-- again after each migration; existing placements stay unchanged:
--
--   psql --set ON_ERROR_STOP=1 --file deploy/citus.sql   # with PGSERVICEFILE and PGSERVICE of docs/operating/backup.md
--
-- The rows of an account are on one member, which its id decides. Names, links, codes and counters are on the member
-- that their own key decides.

CREATE EXTENSION IF NOT EXISTS citus;

-- Deleting a row of `accounts` or `devices` also deletes rows that refer to it. Within one transaction Citus allows that
-- only if statements over several shards run one after the other. Citus 13.2.2 plans a prepared statement at each
-- execution on the member with its shard and keeps every generic plan in memory. Applies to new connections.
DO $$
DECLARE
  wanted RECORD;
BEGIN
  FOR wanted IN
    SELECT * FROM (VALUES
      ('citus.multi_shard_modify_mode', 'sequential'),
      ('plan_cache_mode', 'force_custom_plan')
    ) AS settings (name, value)
    WHERE current_setting(name) <> value
  LOOP
    EXECUTE format('ALTER DATABASE %I SET %s = %L', current_database(), wanted.name, wanted.value);
  END LOOP;
END
$$;
SET citus.multi_shard_modify_mode = 'sequential';

BEGIN;

-- A copy on each member: tables that requests only read.
SELECT create_reference_table(name)
FROM unnest(ARRAY['legacy_accounts', 'oidc_keys', 'secrets', 'refinery_schema_history']) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass);

-- On the coordinator: queues and the audit, which every member reaches.
SELECT citus_add_local_table_to_metadata(name)
FROM unnest(ARRAY['outbox', 'deliveries', 'kept_mail', 'sent_mails', 'support_audit']) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass);

-- Distributed by their own keys.
SELECT create_distributed_table(name, shard_key, colocate_with => 'none')
FROM (VALUES
  ('names', 'key'),
  ('tokens', 'token_hash'),
  ('spent_challenges', 'challenge_hash'),
  ('sign_in_challenges', 'token_hash'),
  ('oidc_codes', 'code_hash'),
  ('oidc_tokens', 'token_hash'),
  ('limits', 'key')
) AS wanted (name, shard_key)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass);

-- The tables of an account. Citus cannot distribute a table while a table that is not distributed refers to it, and a
-- credential id can be unique only together with the account.
CREATE TEMPORARY TABLE placed_tables (place, name, shard_key) ON COMMIT DROP AS
SELECT place, name::regclass, shard_key
FROM (VALUES
  (1, 'accounts', 'id'),
  (2, 'deleted_accounts', 'id'),
  (3, 'consents', 'account_id'),
  (4, 'former_emails', 'account_id'),
  (5, 'security_events', 'account_id'),
  (6, 'password_history', 'account_id'),
  (7, 'credentials', 'account_id'),
  (8, 'totp', 'account_id'),
  (9, 'recovery_codes', 'account_id'),
  (10, 'second_factor_resets', 'account_id'),
  (11, 'devices', 'account_id'),
  (12, 'sessions', 'account_id'),
  (13, 'app_sessions', 'account_id'),
  (14, 'support_roles', 'account_id'),
  (15, 'pending_acts', 'account_id')
) AS wanted (place, name, shard_key)
WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = name::regclass);
CREATE TEMPORARY TABLE foreign_keys ON COMMIT DROP AS
SELECT conrelid::regclass AS name, conname, pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'f' AND conrelid IN (SELECT name FROM placed_tables);
DO $$
DECLARE
  step RECORD;
BEGIN
  FOR step IN SELECT * FROM foreign_keys LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', step.name, step.conname);
  END LOOP;
  IF EXISTS (SELECT FROM placed_tables WHERE name = 'credentials'::regclass) THEN
    ALTER TABLE credentials DROP CONSTRAINT credentials_credential_id;
    ALTER TABLE credentials ADD CONSTRAINT credentials_credential_id UNIQUE (account_id, rp_id, credential_id);
    CREATE INDEX credentials_by_id ON credentials (rp_id, credential_id);
  END IF;
  FOR step IN SELECT * FROM placed_tables ORDER BY place LOOP
    IF step.place = 1 THEN
      PERFORM create_distributed_table(step.name, step.shard_key, colocate_with => 'none');
    ELSE
      PERFORM create_distributed_table(step.name, step.shard_key, colocate_with => 'accounts');
    END IF;
  END LOOP;
  FOR step IN SELECT * FROM foreign_keys LOOP
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', step.name, step.conname, step.definition);
  END LOOP;
END
$$;
COMMIT;
