//! A model of calls, grants, answers, reloads, redefinitions, cancellations and crashes, which is
//! compared with the real call path. The model knows the rules but none of the code; proptest
//! drives both through random interleavings.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod cases; // the number of random sequences
mod rules; // the expected verdict of each policy about each tool, written independently
mod world; // the endpoint: tools of every kind, and the calls that reached them
mod ledger; // a ledger that can be slow or fail
mod client; // clients of both eras, and the questions that they received
mod form; // a question as the person sees it, and the answers
mod bench; // the layers under test, with all fixtures
mod watch; // lets events happen and checks them
mod evidence; // what people said, and what it allows
mod operation; // the operations of a sequence
mod sequence; // random interleavings of operations
mod findings; // regression tests for findings about approvals
mod changes; // regression tests for findings about changes while calls wait
mod channels; // how far an answer reaches
mod waiting; // every call that waits ends
