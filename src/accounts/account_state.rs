//! Checks whether an account may be used. A disabled account and an account with a pending deletion are blocked.

use crate::accounts::mailed_link;
use crate::accounts::prelude::*;
use crate::clock::rfc3339;
use crate::db::Result;
use crate::error::ErrorData;
use crate::store::tokens::Purpose;

/// An account that is not blocked. `SessionProof` requires this type, so that no sign-in can start a session of a
/// disabled account or of an account with a pending deletion.
#[derive(Clone, Copy)]
pub(crate) struct UsableAccount<'a>(&'a Account);

/// The reason why an account may not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockReason {
    Disabled,
    /// The time of the deletion, in milliseconds since 1970 UTC.
    DeletionPending(i64),
}

impl<'a> UsableAccount<'a> {
    /// Returns the reason as the error if the account is blocked. Before a change, the caller must lock the account's
    /// row, so that no parallel request can disable the account meanwhile.
    pub(crate) fn of(account: &'a Account) -> std::result::Result<UsableAccount<'a>, BlockReason> {
        match (account.is_disabled, account.deletion_due_at) {
            (true, _) => Err(BlockReason::Disabled),
            (false, Some(due_at)) => Err(BlockReason::DeletionPending(due_at)),
            (false, None) => Ok(UsableAccount(account)),
        }
    }

    pub(crate) fn account(self) -> &'a Account {
        self.0
    }
}

impl BlockReason {
    /// Returns the error for a sign-in to the blocked account. If a deletion is pending, the error contains a token
    /// that cancels the deletion.
    pub(crate) async fn sign_in_error(
        self,
        change: &mut Change<'_>,
        account: &Account,
    ) -> Result<ApiError> {
        let due_at = match self {
            BlockReason::Disabled => return Ok(ErrorCode::AccountDisabled.into()),
            BlockReason::DeletionPending(due_at) => due_at,
        };
        let purpose = Purpose::AccountRestore;
        let refusal = ErrorData::DeletionPending {
            delete_at: rfc3339(due_at),
            restore_token: mailed_link::issue_for_response(change, purpose, account.id).await?,
        };
        Ok(refusal.into())
    }
}
