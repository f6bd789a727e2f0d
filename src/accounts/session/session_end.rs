//! Signs ended sessions out of applications, and reports them to webhooks. Every statement that ends sessions returns
//! [`EndedSessions`], which only the functions of this file accept, so that no caller forgets the report.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::accounts::change::Change;
use crate::db::Result;
use crate::domain::webhook_event::EventType;
use crate::outbox::backchannel_logout;
use crate::store::sessions::{self, EndedSessions};
use crate::store::{app_sessions, oidc_grants};

impl Change<'_> {
    /// Reports the sessions that the change has ended: a webhook `sessions.ended` for each account, and a logout token
    /// for each application that a session was signed in to.
    pub(crate) async fn report_ended(&mut self, ended: EndedSessions) -> Result<()> {
        self.sign_out_of_apps(&ended).await?;
        let accounts: BTreeSet<Uuid> = ended.iter().map(|session| session.account_id).collect();
        for account in accounts {
            self.queue_webhooks(EventType::SessionsEnded, account, &[])
                .await?;
        }
        Ok(())
    }

    /// Ends and reports all sessions of the account.
    pub(crate) async fn end_sessions(&mut self, account: Uuid) -> Result<()> {
        let ended = sessions::end_all(self, account).await?;
        self.report_ended(ended).await
    }

    /// Signs expired sessions out of their applications, which receive logout tokens. Returns the number of sessions.
    /// Webhooks do not report expired sessions, because no action ended them.
    pub(crate) async fn handle_expired(&mut self, ended: EndedSessions) -> Result<u64> {
        self.sign_out_of_apps(&ended).await?;
        Ok(ended.len() as u64)
    }

    /// Removes the OAuth tokens of the sessions, and queues logout tokens to their applications.
    async fn sign_out_of_apps(&mut self, ended: &EndedSessions) -> Result<()> {
        for session in ended.iter() {
            let Some(sid) = session.sid else { continue };
            oidc_grants::end_by_session(self, sid).await?;
            for app_session in app_sessions::end_by_session(self, session.account_id, sid).await? {
                backchannel_logout::queue(self.app, self, &app_session).await?;
            }
        }
        Ok(())
    }
}
