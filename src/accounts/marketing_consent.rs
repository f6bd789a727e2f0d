//! Changes the consent to the newsletter in the settings.

use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::accounts::session::{LockedRows, SignedIn};
use crate::domain::consent::MarketingConsent;
use crate::store::{accounts, consents};

/// Stores a changed choice, and a record of the text that the person agreed to or declined.
pub(crate) async fn set(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    is_given: bool,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let LockedRows { account, .. } = signed_in.lock(&mut change).await?;
        let mut change = change
            .admit(&[LimitName::PreferenceChange.of(Subject::Account(account.id))])
            .await?;
        if accounts::marketing_consent(&mut change, account.id).await? == Some(is_given) {
            return change.commit(()).await;
        }
        let consent = MarketingConsent::with_current_text(is_given, client.language);
        store(&mut change, account.id, &consent).await?;
        change.commit(()).await
    })
    .await
}

/// Stores the consent, and a record of the text to which it refers. The caller has locked the account's row.
pub(crate) async fn store(
    change: &mut Change<'_>,
    account: Uuid,
    consent: &MarketingConsent,
) -> ApiResult {
    let now = change.now;
    accounts::set_marketing_consent(change, account, consent.is_given, now).await?;
    let id = change.new_id();
    consents::insert(change, id, account, consent, now).await?;
    let event = Event::new(SecurityEvent::MarketingConsentChanged, account);
    let event = event.detail(EventDetail::Consent(consent.is_given));
    Ok(change.record(event).await?)
}
