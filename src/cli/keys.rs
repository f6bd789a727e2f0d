//! The commands `account keys …`.

use super::prelude::*;
use crate::store::sealed;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Encrypt the secrets in the database under a new key; can be interrupted and repeated
    Rotate {
        #[command(flatten)]
        settings: ConfigArgument,
        /// Only add the new key to the key file, for copying it to the other nodes before the rotation
        #[arg(long)]
        prepare: bool,
    },
}

pub(super) async fn run(command: KeysCommand) -> CommandResult {
    match command {
        KeysCommand::Rotate { settings, prepare } => rotate_keys(&settings, prepare).await,
    }
}

async fn rotate_keys(settings: &ConfigArgument, prepare: bool) -> CommandResult {
    let config = settings.load()?;
    let store = Store::open_existing(&config.database).await?;
    let path = &config.security.encryption_key_file;
    if prepare {
        sealed::prepare_rotation(&store, path, &Rng::System).await?;
        print_message!(
            "account: {} holds the new key; copy it to the other nodes, then run account keys rotate here",
            path.display()
        );
        return Ok(());
    }
    let count = sealed::rotate(&store, path, &Rng::System).await?;
    print_message!(
        "account: {count} values are encrypted under the new key in {}",
        path.display()
    );
    Ok(())
}
