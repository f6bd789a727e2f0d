//! The client of the sample application (`examples/sample-app/`), and the file with the settings of the application.

use std::fmt;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;

use crate::cli::prelude::*;
use crate::config::OidcClient;
use crate::domain::secret::{Secret, hexadecimal};

const CLIENT_ID: &str = "sample-app";
/// The name that the application shows for itself.
const APP_NAME: &str = "Moonhill Fan Club";

/// The origin of the sample application, and the path of its settings file.
pub(super) struct SampleApp {
    pub(super) origin: String,
    pub(super) settings: PathBuf,
}

impl SampleApp {
    pub(super) fn address(&self) -> String {
        format!("{}/", self.origin)
    }
}

/// Formats the command that starts the application in a clone of the repository.
impl fmt::Display for SampleApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = self.settings.display();
        write!(f, "node --env-file={settings} examples/sample-app/main.mjs")
    }
}

/// Adds the client to the configuration, with a new secret, and writes the settings of the application.
///
/// The application's host is an IP address, because cookies are not limited to a port: browsers would send the cookies
/// of `localhost` to an application at `localhost` too.
pub(super) fn add_sample_app(config: &mut Config, folder: &Path) -> CommandResult<SampleApp> {
    let port = free_port(config.server.listen.port())?;
    let origin = format!("http://{}:{port}", Ipv4Addr::LOCALHOST);
    let secret = Secret::generate(&Rng::System);
    config.oidc.enabled = true;
    config.oidc.clients.retain(|client| client.id != CLIENT_ID);
    config.oidc.clients.push(client_config(&origin, &secret)?);
    let issuer = config.issuer().expect("the provider is on");
    let settings = folder.join("sample-app.env");
    let written = write_private(
        &settings,
        &format!(
            "ISSUER={issuer}\nCLIENT_ID={CLIENT_ID}\nCLIENT_SECRET={}\nORIGIN={origin}\n",
            secret.expose()
        ),
    );
    written.map_err(|error| {
        CommandError::failed(format!("cannot write {}: {error}", settings.display()))
    })?;
    Ok(SampleApp { origin, settings })
}

/// Returns the port after the port of the site or, if that port is in use, another free port.
fn free_port(site: u16) -> CommandResult<u16> {
    let next = site.saturating_add(1);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, next));
    let listener = listener.or_else(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address?.port())
}

/// Writes a file that only the user can read, because it contains a secret. Replaces the file of an earlier demo.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Returns the OIDC client as an operator writes it into the configuration.
fn client_config(origin: &str, secret: &Secret) -> CommandResult<OidcClient> {
    let written = json!({
        "id": CLIENT_ID,
        "name": APP_NAME,
        "secret_sha256": hexadecimal(&secret.hash()),
        "redirect_uris": [format!("{origin}/callback")],
        "post_logout_redirect_uris": [format!("{origin}/signed-out")],
        "backchannel_logout_uri": format!("{origin}/backchannel-logout"),
    });
    serde_json::from_value(written).map_err(CommandError::failed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config;

    #[test]
    fn the_demo_client_has_a_valid_configuration_and_its_secret_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        let app = add_sample_app(&mut config, folder.path()).unwrap();
        assert_eq!(config::problems(&config), Vec::<String>::new());
        let mode = std::fs::metadata(&app.settings).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        let settings = std::fs::read_to_string(&app.settings).unwrap();
        let line = |name: &str| settings.lines().find_map(|line| line.strip_prefix(name));
        let secret = Secret::parse(line("CLIENT_SECRET=").unwrap()).unwrap();
        let digest = config.oidc.clients[0].secret_sha256.clone().unwrap();
        assert_eq!(*digest.bytes(), secret.hash());
        assert_eq!(app.address(), format!("{}/", line("ORIGIN=").unwrap()));
    }

    #[test]
    fn the_application_has_the_next_port_unless_it_is_taken() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let taken = taken.local_addr().unwrap().port();
        assert_ne!(free_port(taken - 1).unwrap(), taken);
        assert_ne!(free_port(u16::MAX).unwrap(), 0);
    }
}
