// The commands of docs/operating.md in an order that works on an empty machine, with what has to happen between them.
// `$` lines are typed. `exit`: the expected exit code, 0 if not given. `extra`: the manual does not show the command as a
// line of its own. `keep`: the lines of the output that are shown (all up to 12 if not given).

export const steps = [
  { title: 'Install' },
  { run: 'install -m 640 -g account /dev/null /etc/account/smtp-url' },
  { run: "echo 'smtps://user:password@smtp.example.org' >/etc/account/smtp-url" },
  { settings: 'The minimal settings of a public site' },
  { run: 'echo whsec_$(openssl rand -base64 32) >/etc/account/webhook-secret', extra: true },
  { more: true },
  { run: 'sudo -u account -s' },
  { run: 'cd /var/lib/account && export ACCOUNT_CONFIG=/etc/account/account.toml' },
  { run: 'account check-config', keep: /^\[(server|database|mail)\]|^(listen|public_url|smtp_url|url|from) =|^account:|^warning:/ },
  { run: 'systemctl start account' },
  { run: 'account legacy status' },
  { run: 'account --version', extra: true },
  { run: 'account completions bash >account.bash && tail -n 1 account.bash', extra: true },
  { run: 'mkdir man && account man --output man && ls man | wc -l', extra: true },

  { title: 'Health and metrics' },
  { run: 'curl --silent --show-error --write-out " %{http_code}\\n" http://127.0.0.1:8080/healthz', extra: true },
  { run: 'curl --silent --show-error --write-out " %{http_code}\\n" http://127.0.0.1:8080/readyz', extra: true },
  {
    run: 'curl --silent http://127.0.0.1:9090/metrics | grep --extended-regexp "^account_(database_up|outbox_mails|sessions)"',
    extra: true,
  },

  { title: 'Mail' },
  { run: 'account mail test ops@example.org', extra: true },
  { person: 'ada1815', email: 'ada@example.org' },
  { person: 'agent', email: 'agent@example.org' },
  { run: 'account mail retry --since 2d', extra: true },
  { run: `echo '{"email": "ada@example.org", "status": "5.1.1"}' >bounces`, extra: true },
  { run: 'account mail bounces bounces', extra: true },

  { title: 'Find an account' },
  { run: 'account users show --email ada@example.org', keep: /./ },
  { run: 'account users sign-out --username ada1815 --reason "ticket 4711"' },
  { run: 'account users disable --username ada1815 --reason "ticket 4711"', extra: true },
  { run: 'account users resend --kind reset --username ada1815', extra: true, exit: 1 },
  { run: 'account users enable --username ada1815', extra: true },
  { run: 'account users resend --kind reset --username ada1815', extra: true },
  { run: 'account users resend --kind verify --username ada1815', extra: true, exit: 1 },
  { run: 'account users export --username ada1815 --output ada.zip && stat --format="%a %n" ada.zip', extra: true },
  { run: 'account users delete --username ada1815 --json', extra: true },
  { run: 'account users cancel-deletion --username ada1815', extra: true },
  { run: 'account users show --email nobody@example.org', extra: true, exit: 1 },

  { title: 'Support' },
  { run: 'account support grant --email agent@example.org --role support' },
  { run: 'account support list', extra: true },
  { run: 'account support audit --since 7d --json' },
  { run: 'account support revoke --email agent@example.org', extra: true },

  { title: 'Webhooks' },
  { run: 'account webhooks test', extra: true },

  { title: 'Applications (OpenID Connect)' },
  { run: 'account oidc client-secret', extra: true },
  { run: 'account oidc keys', extra: true },
  { run: 'account oidc keys --rotate', extra: true },
  { run: 'account oidc keys --rotate --now', extra: true },
  { run: 'account oidc keys --json', extra: true },

  { title: 'Translations' },
  { run: `echo '{"sign_in": {"title": "Anmelden bei {{brand}} {{site}}"}}' >de.json`, extra: true },
  { run: 'account check-translations de.json', extra: true, exit: 2 },

  { title: 'Backup and restore: SQLite' },
  { run: 'install -d -m 700 -o account -g account /var/backups/account' },
  { run: 'account store backup /var/backups/account/$(date +%F).db' },
  { run: 'account store verify /var/backups/account/$(date +%F).db' },
  { run: 'install -m 600 -o root -g root /var/lib/account/data/account.key /mnt/vault/account-$(date +%F).key' },
  { run: 'sudo -u account account store verify /var/backups/account/2026-11-20.db' },
  { run: 'systemctl stop account' },
  { run: 'mv /var/lib/account/data /var/lib/account/data.before' },
  { run: 'install -d -m 700 -o account -g account /var/lib/account/data' },
  { run: 'install -m 600 -o account -g account /var/backups/account/2026-11-20.db /var/lib/account/data/account.db' },
  { run: 'install -m 600 -o account -g account /mnt/vault/account-2026-11-20.key /var/lib/account/data/account.key' },
  { run: `sudo -u account sqlite3 /var/lib/account/data/account.db "DELETE FROM sessions; DELETE FROM tokens WHERE purpose <> 'unsubscribe';"` },
  { run: 'systemctl start account' },
  { run: 'account users show --username ada1815 | head -n 5', extra: true },

  { title: 'SQL by hand: SQLite' },
  {
    run: `sudo -u account sqlite3 /var/lib/account/data/account.db 'PRAGMA foreign_keys = ON; SELECT COUNT(*) FROM accounts;'`,
  },

  { title: 'The encryption key file' },
  { run: 'account keys rotate --prepare', extra: true },
  { run: 'account keys rotate', extra: true },
  { run: 'mkdir new-key && cd new-key', extra: true },
  { run: 'env --unset=ACCOUNT_CONFIG account migrate' },
  { run: 'env --unset=ACCOUNT_CONFIG account keys rotate' },
  { run: 'wc --lines data/account.key && cd ..', extra: true },

  { title: 'From SQLite to PostgreSQL, or back' },
  { run: 'systemctl stop account' },
  {
    run: 'account store copy --from sqlite:///var/lib/account/data/account.db --to postgres://…/account',
    keep: /^ +[1-9]|^account:/,
  },
  { run: 'install -m 640 -g account /dev/null /etc/account/database-url' },
  { run: "echo 'postgres://…/account' >/etc/account/database-url" },
  { settings: 'For PostgreSQL also' },
  { run: 'systemctl start account' },
  { run: 'account users show --username ada1815 | head -n 5', extra: true },
  { run: 'account store copy --anonymise --to sqlite:///var/lib/account/staging.db', keep: /^ +[1-9]|^account:/ },

  { title: 'Backup and restore: PostgreSQL' },
  { run: 'account store backup x.db', extra: true, exit: 2 },
  { run: 'sudo -u account -s' },
  { run: 'cd /var/backups/account && umask 077' },
  { run: 'export PGSSLROOTCERT=/etc/ssl/certs/ca-certificates.crt' },
  { run: 'DATABASE_URL=$(cat /etc/account/database-url)' },
  { run: 'pg_dump --format=custom --file=account-$(date +%F).dump "$DATABASE_URL"' },
  { run: 'systemctl stop account' },
  {
    run: `psql --quiet "$DATABASE_URL" --command 'DROP SCHEMA public CASCADE; CREATE SCHEMA public;'`,
    keep: /^NOTICE/,
  },
  { run: 'pg_restore --single-transaction --no-owner --dbname="$DATABASE_URL" account-2026-11-20.dump' },
  { run: `psql --quiet "$DATABASE_URL" --command "DELETE FROM sessions; DELETE FROM tokens WHERE purpose <> 'unsubscribe';"` },
  { run: 'systemctl start account' },
  { run: `psql "$DATABASE_URL" --command 'SELECT COUNT(*) FROM accounts;'` },
  { run: 'cd /var/lib/account', extra: true },
  { run: 'account users show --username ada1815 | head -n 5', extra: true },

  { title: 'Upgrade' },
  { run: 'cp /usr/local/bin/account account', extra: true },
  { run: 'install -m 755 account /usr/local/bin/account.new' },
  { run: 'account.new migrate --status' },
  { run: 'account.new migrate --sql' },
  { run: 'account.new migrate', extra: true },
  { run: 'cp --preserve /usr/local/bin/account /usr/local/bin/account.old' },
  { run: 'mv /usr/local/bin/account.new /usr/local/bin/account' },
  { run: 'systemctl restart account' },
  { run: 'mv /usr/local/bin/account /usr/local/bin/account.new' },
  { run: 'mv /usr/local/bin/account.old /usr/local/bin/account' },
  { run: 'systemctl restart account' },
  { run: 'systemctl reload account', extra: true },
  { run: 'account migrate', extra: true },
  { run: 'systemctl stop account', extra: true },
];

/** Settings of the manual's other sections. */
export const more = {
  server: ['listen = "127.0.0.1:8080"', 'ops_listen = "127.0.0.1:9090"'],
  rest: `
[support]
enabled = true

[[webhooks]]
url = "https://hooks.example.org/account"
secret_file = "/etc/account/webhook-secret"

[oidc]
enabled = true

[[oidc.clients]]
id = "wiki"
name = "Wiki"
secret_sha256 = "${'0f'.repeat(32)}"
redirect_uris = ["https://wiki.example.org/callback"]
`,
};

/** Commands of the manual that are not typed, and why. */
export const untypedCommands = {
  'account serve': 'systemctl runs it',
  'account legacy invite': 'docs/migrating.md is its manual',
};
