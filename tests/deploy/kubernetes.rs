//! `deploy/kubernetes.yaml`: its documents parse, refer to each other, and contain settings that the program accepts.
//! The Kubernetes schemas are not available offline; unknown kinds and versions fail here.

use yaml_rust2::{Yaml, YamlLoader};

use super::file;

fn documents() -> Vec<Yaml> {
    YamlLoader::load_from_str(&file("deploy/kubernetes.yaml")).unwrap()
}

fn document_of_kind(kind: &str) -> Yaml {
    let mut found = documents().into_iter();
    let found = found.find(|document| document["kind"].as_str() == Some(kind));
    found.unwrap_or_else(|| panic!("no {kind}"))
}

const LABEL: &str = "app.kubernetes.io/name";

#[test]
fn each_document_is_of_a_known_kind_and_version() {
    let kinds: Vec<_> = documents()
        .iter()
        .map(|document| {
            let text = |key: &str| document[key].as_str().unwrap().to_owned();
            assert_eq!(document["metadata"]["name"].as_str(), Some("account"));
            assert_eq!(
                document["metadata"]["labels"][LABEL].as_str(),
                Some("account")
            );
            format!("{} {}", text("apiVersion"), text("kind"))
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "v1 ConfigMap",
            "apps/v1 Deployment",
            "policy/v1 PodDisruptionBudget",
            "v1 Service",
            "networking.k8s.io/v1 NetworkPolicy",
            "networking.k8s.io/v1 Ingress",
        ]
    );
}

#[test]
fn selectors_ports_and_volumes_fit_together() {
    let deployment = document_of_kind("Deployment");
    let pod = &deployment["spec"]["template"];
    let is_selected = |labels: &Yaml| {
        assert_eq!(
            labels[LABEL].as_str(),
            pod["metadata"]["labels"][LABEL].as_str()
        );
        assert!(labels[LABEL].as_str().is_some());
    };
    is_selected(&deployment["spec"]["selector"]["matchLabels"]);
    is_selected(&document_of_kind("Service")["spec"]["selector"]);
    is_selected(&document_of_kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"]);
    is_selected(&document_of_kind("NetworkPolicy")["spec"]["podSelector"]["matchLabels"]);
    let container = &pod["spec"]["containers"][0];
    let ports = container["ports"].as_vec().unwrap();
    let named = |name: &str| {
        let port = ports
            .iter()
            .find(|port| port["name"].as_str() == Some(name));
        port.unwrap()["containerPort"].as_i64().unwrap()
    };
    assert_eq!((named("http"), named("metrics")), (8080, 9090));
    let volumes = pod["spec"]["volumes"].as_vec().unwrap();
    for mount in container["volumeMounts"].as_vec().unwrap() {
        assert!(volumes.iter().any(|volume| volume["name"] == mount["name"]));
    }
    let budget = document_of_kind("PodDisruptionBudget")["spec"]["minAvailable"].as_i64();
    assert!(budget < deployment["spec"]["replicas"].as_i64());
    for (probe, path) in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
        assert_eq!(container[probe]["httpGet"]["path"].as_str(), Some(path));
    }
}

#[test]
fn the_ingress_routes_all_addresses_of_the_program() {
    let ingress = document_of_kind("Ingress");
    let routes = &ingress["spec"]["rules"][0]["http"]["paths"];
    let routes = routes.as_vec().unwrap().iter().map(|route| {
        let backend = &route["backend"]["service"];
        assert_eq!(backend["name"].as_str(), Some("account"));
        assert_eq!(backend["port"]["name"].as_str(), Some("http"));
        (
            route["path"].as_str().unwrap(),
            route["pathType"].as_str().unwrap(),
        )
    });
    assert_eq!(
        routes.collect::<Vec<_>>(),
        [
            ("/account", "Prefix"),
            ("/login", "Exact"),
            ("/.well-known/change-password", "Exact"),
            ("/.well-known/passkey-endpoints", "Exact"),
            ("/.well-known/webauthn", "Exact"),
            ("/.well-known/oauth-authorization-server/account", "Exact"),
        ]
    );
}

#[test]
fn the_container_has_no_privileges() {
    let deployment = document_of_kind("Deployment");
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(pod["securityContext"]["runAsNonRoot"].as_bool(), Some(true));
    assert_eq!(pod["automountServiceAccountToken"].as_bool(), Some(false));
    let own = &pod["containers"][0]["securityContext"];
    assert_eq!(own["readOnlyRootFilesystem"].as_bool(), Some(true));
    assert_eq!(own["allowPrivilegeEscalation"].as_bool(), Some(false));
    assert_eq!(own["capabilities"]["drop"][0].as_str(), Some("ALL"));
}

/// Secrets are files; this test stores them in its own folder.
#[test]
fn the_settings_are_accepted() {
    let map = document_of_kind("ConfigMap");
    let settings = map["data"]["account.toml"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().display().to_string();
    let settings = settings.replace("/run/secrets/account", &secrets);
    std::fs::write(folder.path().join("account.toml"), settings).unwrap();
    let database = "postgres://site:secret@db.example/account?sslmode=verify-full";
    std::fs::write(folder.path().join("database-url"), database).unwrap();
    std::fs::write(folder.path().join("smtp-url"), "smtps://mail.example").unwrap();
    let file = folder.path().join("account.toml");
    let config = account::config::load(Some(&file), std::iter::empty()).unwrap();
    assert_eq!(account::config::problems(&config), Vec::<String>::new());
    assert_eq!(config.server.listen.port(), 8080);
    assert_eq!(config.server.ops_listen.unwrap().port(), 9090);
}
