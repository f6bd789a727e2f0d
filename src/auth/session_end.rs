//! The consequences of the end of a session. Every statement that ends sessions returns [`EndedSessions`], which only
//! the functions of this file accept, so that none of these consequences is left out.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::outbox::backchannel_logout;
use crate::outbox::webhook::{self, EventType};
use crate::store::sessions::EndedSessions;
use crate::store::{app_sessions, oidc_grants};

/// Reports to other services that an action ended these sessions, in the transaction of that action: one
/// `sessions.ended` for each account, and a logout token for each application that a session signed in to.
pub(crate) async fn report(app: &App, tx: &mut Tx, ended: EndedSessions) -> Result<()> {
    sign_out_of_apps(app, tx, &ended).await?;
    let accounts: BTreeSet<Uuid> = ended.iter().map(|session| session.account_id).collect();
    for account in accounts {
        webhook::announce(app, tx, EventType::SessionsEnded, account, &[]).await?;
    }
    Ok(())
}

/// Handles expired sessions. Webhooks do not report them, because no action ended them; applications receive logout
/// tokens. Returns their number.
pub(crate) async fn handle_expired(app: &App, tx: &mut Tx, ended: EndedSessions) -> Result<u64> {
    sign_out_of_apps(app, tx, &ended).await?;
    Ok(ended.len() as u64)
}

/// Ends the tokens of applications that belong to the sessions, and queues logout tokens.
async fn sign_out_of_apps(app: &App, tx: &mut Tx, ended: &EndedSessions) -> Result<()> {
    for sid in ended.iter().filter_map(|session| session.sid) {
        oidc_grants::end_by_session(tx, sid).await?;
        for app_session in app_sessions::end_by_session(tx, sid).await? {
            backchannel_logout::announce(app, tx, &app_session).await?;
        }
    }
    Ok(())
}
