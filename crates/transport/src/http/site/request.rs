//! What is asked of a site. Everything about who asks was checked before.
use std::sync::Arc;

use bytes::Bytes;
use overt_wire::BoxFuture;

use super::reply::SiteReply;

/// What answers the requests of a page.
pub trait Site: Send + Sync + 'static {
    fn answer(self: Arc<Self>, request: SiteRequest) -> BoxFuture<'static, SiteReply>;
}

/// A request that may be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRequest {
    pub method: SiteMethod,
    pub path: String,
    /// What stands behind the question mark.
    pub query: String,
    /// Empty if something is only read.
    pub body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteMethod {
    Get,
    Post,
}
