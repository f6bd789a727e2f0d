//! Every route of the API, from its OpenAPI document, so that a test over all routes omits none.

use serde_json::Value;

#[derive(Debug, Clone)]
pub struct Route {
    pub method: String,
    pub path: String,
    pub has_body: bool,
}

/// Without the routes of the support view, which return 404 except to agents: tests/support_view/roles.rs.
pub fn all() -> Vec<Route> {
    let mut routes = with_support();
    routes.retain(|route| !route.path.starts_with("/support/"));
    routes
}

pub fn with_support() -> Vec<Route> {
    let document = serde_json::to_value(account::testing::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let routes = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(|(method, operation)| Route {
            method: method.to_uppercase(),
            path: path
                .replace("{language}", "en")
                .replace("{client_id}", "wiki")
                .replace("{id}", "0190b0a0-0000-7000-8000-000000000000"),
            has_body: operation.get("requestBody").is_some_and(Value::is_object),
        })
    });
    let routes: Vec<_> = routes.collect();
    assert!(routes.len() > 15, "{routes:?}");
    routes
}

pub fn posts() -> Vec<Route> {
    let mut routes = all();
    routes.retain(|route| route.method == "POST");
    routes
}

/// The component to which a reference refers, or the value itself if it is no reference.
pub fn referenced<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"]
        .as_str()
        .and_then(|path| path.strip_prefix('#'));
    pointer.map_or(value, |pointer| {
        document.pointer(pointer).expect("a component")
    })
}
