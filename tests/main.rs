//! The HTTP API and the program, tested from outside, on SQLite and on PostgreSQL.
//!
//! Files that test one flow are named as in `src/http/api`. `support` has the site, its browsers, their mails and the
//! clock. A comment `// security: …` names the promise of docs/promises.md that a test verifies.
#![expect(clippy::unwrap_used, reason = "a test reports a failure by a panic")]
#![expect(unreachable_pub, reason = "nothing uses a test from outside")]
#![expect(clippy::too_many_lines, reason = "tables of cases")]

#[macro_use]
mod support;
use support::prelude;

mod account_states;
mod activity;
mod anonymous_calls;
mod api_responses;
mod body;
mod configuration;
mod corrected_registration;
mod crash;
mod cross_site;
mod data_export;
mod deletion;
mod demo;
mod deploy;
mod device_approval;
mod devices;
mod email_change;
mod email_verification;
mod encryption_keys;
mod ended_sessions;
mod enumeration;
mod events;
mod expiry;
mod file_modes;
mod files;
mod forward_auth;
mod gallery;
mod headers;
mod hostile_input;
mod job_failures;
mod layers;
mod legacy_import;
mod legacy_invite;
mod legacy_program;
mod legacy_sign_in;
mod limits;
mod link_address;
mod logs;
mod mail_server;
mod mailboxes;
mod marketing_consent;
mod metrics;
mod migration;
mod migration_completion;
mod nodes;
mod oidc;
mod old_accounts;
mod openapi;
mod operation;
mod outbox;
mod outside_services;
mod overload;
mod own_pages;
mod pages;
mod passkeys;
mod password_change;
mod password_reset;
mod pending_acts;
mod profile;
mod program;
mod reauthentication;
mod regions;
mod request_context;
mod second_factor;
mod session;
mod settings;
mod sign_in;
mod sign_up;
mod sign_up_rules;
mod spent_limits;
mod store_backup;
mod store_copy;
mod strict_registration;
mod strong_factors;
mod support_view;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod underage;
mod undo_details;
mod undo_leaves_nothing;
mod users;
mod validation;
mod webhooks;
mod who_wins;
mod wire;
