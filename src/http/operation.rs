//! Operations: handlers that all have the same Rust type.

use std::pin::Pin;

use axum::handler::Handler;

use super::prelude::*;
use super::site::Site;

pub(crate) type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler behind a function pointer. Every handler function has a separate type, and the compiler would instantiate
/// axum's services for each of these types, which takes a quarter of the compile time of this crate.
#[derive(Clone, Copy)]
pub(crate) struct Operation(pub(crate) fn(Request, Site) -> ResponseFuture);

impl Handler<(), Site> for Operation {
    type Future = ResponseFuture;

    fn call(self, request: Request, site: Site) -> ResponseFuture {
        (self.0)(request, site)
    }
}

/// Makes an [`Operation`] of a handler function.
macro_rules! operation {
    ($handler:path) => {
        $crate::http::operation::Operation(|request, site| {
            axum::handler::Handler::call($handler, request, site)
        })
    };
}

/// Makes a router with a handler of GET for each path.
macro_rules! get_routes {
    ($($path:literal => $handler:path;)+) => {
        axum::Router::new()$(.route(
            $path,
            axum::routing::get($crate::http::operation::operation!($handler)),
        ))+
    };
}

/// Like utoipa's `routes!`, but registers the handler as an [`Operation`].
macro_rules! api_operation {
    ($module:ident::$handler:ident) => {{
        // The import includes the OpenAPI document of the handler, whose name begins with `__path_` and ends with the
        // handler's name.
        #[allow(clippy::wildcard_imports, unused_imports)]
        use $module::*;
        let $handler = $crate::http::operation::operation!($module::$handler);
        utoipa_axum::routes!($handler)
    }};
}

pub(crate) use {api_operation, get_routes, operation};
