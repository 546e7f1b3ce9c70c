//! Requests to a site. The sender of a request was checked before.
use std::sync::Arc;

use bytes::Bytes;
use overt_wire::BoxFuture;

use super::reply::SiteReply;

/// Answers the requests of a page.
pub trait Site: Send + Sync + 'static {
    fn answer(self: Arc<Self>, request: SiteRequest) -> BoxFuture<'static, SiteReply>;
}

/// A request that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRequest {
    pub method: SiteMethod,
    pub path: String,
    /// The part of the URL after the question mark.
    pub query: String,
    /// Empty for a request that only reads.
    pub body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteMethod {
    Get,
    Post,
}
