//! A model of calls, grants, answers, reloads, redefinitions, cancellations and crashes beside the
//! real call path. The model knows the rules and none of the code; proptest drives both over random
//! interleavings.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod cases; // how many sequences
mod rules; // what each policy says about each tool, written down a second time
mod world; // the endpoint: tools of every kind, and what reached them
mod ledger; // a ledger that may be slow or fail
mod client; // clients of both eras, and the questions that they were asked
mod form; // a question as the person sees it, and the answers
mod bench; // the stack with everything around it
mod watch; // lets things happen, and looks at them
mod evidence; // what people said, and what it is good for
mod operation; // what can happen
mod sequence; // random interleavings of it
mod findings; // findings of November 2026 about approvals
mod changes; // findings about what changes while calls wait
mod waiting; // every call that waits ends
