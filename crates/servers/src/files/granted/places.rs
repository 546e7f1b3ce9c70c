//! Decides which worker serves a call: the open one whose grant covers every path of the call.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_layers::grants::Grant;
use overt_policy::scope::{Action, Scope};
use overt_toolbox::{GrantedPlaces, RemoteWorker, ToolError};
use overt_wire::BoxFuture;
use serde_json::Value;

use super::super::access::{AbsolutePath, Roots};
use super::super::error::{FileError, code};
use super::starter::{GrantSource, StartedWorker, WorkerStarter};

/// The places outside of the roots of one server, and the workers that are open for them.
#[derive(Debug)]
pub(crate) struct Places {
    roots: Arc<Roots>,
    starter: Arc<dyn WorkerStarter>,
    /// Those that were opened last come last.
    open: Mutex<Vec<(String, StartedWorker)>>,
    /// One worker is started at a time, so that calls at the same moment share it.
    starting: tokio::sync::Mutex<()>,
}

/// The most workers that are open. The oldest ends for a new one.
const MOST_WORKERS: usize = 8;
/// The arguments that are paths, of our own tools and of those of the official server.
const PATHS: [&str; 6] = ["path", "paths", "from", "to", "source", "destination"];

impl Places {
    pub(crate) fn new(roots: &Arc<Roots>, starter: &Arc<dyn WorkerStarter>) -> Self {
        Self {
            roots: Arc::clone(roots),
            starter: Arc::clone(starter),
            open: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
        }
    }

    /// Returns the paths that are open now, each with whether it may be changed.
    pub(crate) fn open_paths(&self) -> BTreeMap<String, bool> {
        let mut paths = BTreeMap::new();
        for scope in self.open().iter().flat_map(|(_, worker)| &worker.scopes) {
            if let Some(path) = scope.path() {
                *paths.entry(path).or_default() |= scope.action() == Action::Write;
            }
        }
        paths
    }

    /// Whether a worker that is open may read or change the path.
    pub(crate) fn is_open(&self, path: &AbsolutePath) -> bool {
        let covers = |scope: &Scope| both(std::slice::from_ref(path)).any(|wanted| scope.covers(&wanted));
        self.open().iter().any(|(_, worker)| worker.scopes.iter().any(covers))
    }

    fn is_outside(&self, path: &AbsolutePath) -> bool {
        !self.roots.is_reached(path)
    }

    /// Returns the paths outside of the roots among arguments that are absolute.
    fn outside_of(&self, located: &Value) -> Vec<AbsolutePath> {
        let texts = located.as_object().into_iter().flat_map(|members| members.values()).flat_map(texts);
        texts.filter_map(AbsolutePath::from_system).filter(|path| self.is_outside(path)).collect()
    }

    /// Returns the workers that still run.
    fn open(&self) -> MutexGuard<'_, Vec<(String, StartedWorker)>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, worker)| !worker.connection.is_gone());
        open
    }
}

impl GrantedPlaces for Places {
    fn check(&self, arguments: &Value) -> Result<(), ToolError> {
        let (mut inside, mut outside) = (None, None);
        let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
        for object in std::iter::once(arguments).chain(edits) {
            for (name, value) in PATHS.iter().filter_map(|name| Some((*name, object.get(name)?))) {
                for text in texts(value) {
                    let Ok(path) = self.roots.absolute(text, self.roots.paths()) else { continue };
                    match self.is_outside(&path) {
                        // Each file has an outcome of its own.
                        _ if name == "paths" => {}
                        true if !self.roots.may_be_granted(&path) => {
                            return Err(FileError::outside(text).into());
                        }
                        true => outside = Some(text),
                        false => inside = Some(text),
                    }
                }
            }
        }
        match (inside, outside) {
            (Some(inside), Some(outside)) => Err(FileError::new(
                code::OUTSIDE_ROOT,
                format!(
                    "`{inside}` is inside the roots and `{outside}` outside, and one call can't change both; nothing \
                     was done"
                ),
                "Read with one call and write with another, or ask the user to serve both folders: `overt fs FOLDER FOLDER`.",
            )
            .into()),
            _ => Ok(()),
        }
    }

    fn needs_grant(&self, located: &Value) -> bool {
        !self.outside_of(located).is_empty()
    }

    fn open_for<'a>(
        &'a self,
        grant: Option<&'a Grant>,
        located: &'a Value,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        Box::pin(async move {
            let source = match grant {
                Some(grant) => GrantSource::Store(grant.id.0.clone()),
                None if self.starter.believes_clients() => {
                    GrantSource::Client(both(&self.outside_of(located)).collect())
                }
                // What the operator allows without asking is a root, or can't be opened.
                None => return Ok(()),
            };
            let id = grant.map(|grant| grant.id.0.as_str()).unwrap_or_default();
            let _turn = self.starting.lock().await;
            if !id.is_empty() && self.open().iter().any(|(open, _)| open == id) {
                return Ok(());
            }
            let worker = self.starter.start(source).await.map_err(|why| not_opened(&why))?;
            let mut open = self.open();
            if open.len() >= MOST_WORKERS {
                open.remove(0);
            }
            open.push((id.to_owned(), worker));
            Ok(())
        })
    }

    fn worker_of(&self, located: &Value, action: Action) -> Option<(Arc<dyn RemoteWorker>, Vec<Scope>)> {
        let paths = self.outside_of(located);
        if paths.is_empty() {
            return None;
        }
        let serves = |worker: &StartedWorker| {
            let covers = |wanted: &Scope| worker.scopes.iter().any(|scope| scope.covers(wanted));
            paths.iter().any(|path| covers(&of(action, path)))
                && paths
                    .iter()
                    .all(|path| covers(&of(Action::Read, path)) || covers(&of(Action::Write, path)))
        };
        let open = self.open();
        let serving = open.iter().filter(|(_, worker)| serves(worker));
        // A grant for one call is left for the call that it is for.
        let (_, worker) = serving.min_by_key(|(_, worker)| worker.is_for_one_call)?;
        Some((Arc::clone(&worker.connection), both(&paths).collect()))
    }

    fn absolute(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        let absolute = |value: &mut Value| {
            let known = value.as_str().and_then(|text| self.roots.absolute(text, self.roots.paths()).ok());
            if let Some(path) = known {
                *value = path.as_str().into();
            }
        };
        let each = |object: &mut Value| {
            for name in PATHS {
                match object.get_mut(name) {
                    Some(Value::Array(items)) => items.iter_mut().for_each(absolute),
                    Some(value) => absolute(value),
                    None => {}
                }
            }
        };
        each(&mut arguments);
        arguments.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten().for_each(each);
        arguments
    }
}

fn of(action: Action, path: &AbsolutePath) -> Scope {
    Scope::of_path(action, "file", path.as_str())
}

/// Returns the scopes for reading and for changing these paths.
fn both(paths: &[AbsolutePath]) -> impl Iterator<Item = Scope> {
    paths.iter().flat_map(|path| [of(Action::Read, path), of(Action::Write, path)])
}

/// Returns the texts of an argument that is a path or a list of paths.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let items = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    value.as_str().into_iter().chain(items)
}

fn not_opened(why: &str) -> ToolError {
    ToolError::from(FileError::new(
        code::NOT_ALLOWED,
        format!("the place that was granted can't be opened: {why}; nothing was done"),
        "Tell the user, or work inside the roots; `list_roots` shows them.",
    ))
}
