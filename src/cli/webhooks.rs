//! The commands `account webhooks …`.

use super::prelude::*;
use crate::config::Webhook;
use crate::outbox::{retry, webhook};
use crate::outgoing::http::Deliverer;
use crate::store::outbox::WaitingRows;

#[derive(Subcommand)]
pub(super) enum WebhooksCommand {
    /// Send a signed event of type webhooks.test to each endpoint, and print its response; exit code 0: all accepted it
    Test {
        /// Only the endpoint with this URL in the settings
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Send waiting events again whose last attempt failed, 50 a second; a running `account serve` sends them
    Retry {
        /// Only to the endpoint with this URL in the settings
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        #[command(flatten)]
        settings: ConfigArgument,
    },
}

pub(super) async fn run(command: WebhooksCommand) -> CommandResult {
    match command {
        WebhooksCommand::Test { url, settings } => {
            send_test_events(&settings.load()?, url.as_deref()).await
        }
        WebhooksCommand::Retry { url, settings } => {
            retry_waiting(settings.load()?, url.as_deref()).await
        }
    }
}

async fn send_test_events(config: &Config, url: Option<&str>) -> CommandResult {
    let deliverer = Deliverer::default();
    let mut refused = 0;
    let chosen = select_webhooks(config, url)?;
    for webhook in &chosen {
        let now = Clock::System.millis();
        let request = webhook::test_request(webhook, Rng::System.id(now), now);
        let label = webhook::endpoint_label(config, webhook);
        match deliverer.send(request).await {
            Ok(()) => print_message!("account: {label} accepted the event"),
            Err(refusal) => {
                refused += 1;
                print_message!("account: {label} did not accept the event: {refusal}");
            }
        }
    }
    match refused {
        0 => Ok(()),
        _ => Err(CommandError::failed(format!(
            "{refused} of {} endpoints did not accept the event",
            chosen.len()
        ))),
    }
}

async fn retry_waiting(config: Config, url: Option<&str>) -> CommandResult {
    select_webhooks(&config, url)?;
    let app = open_app(config).await?;
    for webhook in select_webhooks(&app.config, url)? {
        let key = webhook.endpoint_id();
        let events = retry::retry_waiting(&app, WaitingRows::RequestsTo(&key)).await?;
        let label = webhook::endpoint_label(&app.config, webhook);
        print_message!(
            "account: {events} waiting events for {label} are due again, besides those that are tried within 30 seconds anyway; a running `account serve` sends them, 50 a second"
        );
    }
    Ok(())
}

fn select_webhooks<'a>(config: &'a Config, url: Option<&str>) -> CommandResult<Vec<&'a Webhook>> {
    let all = config.webhooks.iter();
    let is_chosen = |webhook: &&Webhook| {
        url.is_none_or(|url| url::Url::parse(url).is_ok_and(|url| url == *webhook.url.url()))
    };
    let chosen: Vec<&Webhook> = all.filter(is_chosen).collect();
    match (chosen.is_empty(), url) {
        (false, _) => Ok(chosen),
        (true, None) => Err(CommandError::Usage(
            "webhooks: the settings have no endpoint".to_owned(),
        )),
        (true, Some(_)) => Err(CommandError::Usage(
            "--url: the settings have no endpoint with this address".to_owned(),
        )),
    }
}
