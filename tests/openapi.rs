//! The committed document equals the generated one.

use std::collections::BTreeSet;

use account::testing::error::ErrorCode;
use account::testing::openapi;

use crate::support::routes;

const COMMITTED: &str = include_str!("../openapi.json");

#[test]
fn the_committed_document_is_up_to_date() {
    let made = openapi::document().to_pretty_json().unwrap();
    assert!(
        made == COMMITTED.trim_end(),
        "openapi.json is stale; `cargo run -- openapi > openapi.json` writes it anew"
    );
}

#[test]
fn the_document_has_every_code_and_errors_for_every_route() {
    let document: serde_json::Value = serde_json::from_str(COMMITTED).unwrap();
    let codes = document["components"]["schemas"]["Code"]["enum"]
        .as_array()
        .unwrap();
    let codes: BTreeSet<_> = codes.iter().filter_map(|code| code.as_str()).collect();
    assert_eq!(
        codes,
        ErrorCode::ALL.iter().map(|code| code.as_str()).collect()
    );
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            assert!(operation["operationId"].is_string(), "{method} {path}");
            for status in ["500", "503"] {
                let response = routes::referenced(&document, &operation["responses"][status]);
                let schema = &response["content"]["application/json"]["schema"];
                assert_eq!(
                    schema["allOf"][0]["$ref"], "#/components/schemas/Problem",
                    "{method} {path} {status}"
                );
            }
        }
    }
}

#[test]
fn an_operation_lists_only_the_errors_that_it_can_return() {
    let document: serde_json::Value = serde_json::from_str(COMMITTED).unwrap();
    let statuses = |path: &str, method: &str| -> Vec<String> {
        let responses = document["paths"][path][method]["responses"].as_object();
        responses.unwrap().keys().cloned().collect()
    };
    assert_eq!(statuses("/users/me", "get"), ["200", "401", "500", "503"]);
    assert_eq!(
        statuses("/confirm-email", "get"),
        ["200", "400", "403", "429", "500", "503"]
    );
}
