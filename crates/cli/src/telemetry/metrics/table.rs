//! Every metric with its kind and its help text. `docs/observability.md` contains the same table; a
//! test compares the two.

/// One metric.
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) help: &'static str,
}

macro_rules! metrics {
    ($($constant:ident = $kind:literal $name:literal: $help:literal;)*) => {
        $(pub(super) const $constant: Metric = Metric { name: $name, kind: $kind, help: $help };)*
        #[cfg(test)]
        pub(super) const ALL: &[Metric] = &[$($constant),*];
    };
}

metrics! {
    BUILD = "gauge" "overt_build_info": "Always 1; the label says which version runs";
    START = "gauge" "process_start_time_seconds": "When the process began, in seconds since 1970";
    MEMORY = "gauge" "process_resident_memory_bytes": "Memory that the process holds (Linux only)";
    REQUESTS = "counter" "overt_requests_total": "Requests that ended, by method and outcome";
    DURATION = "histogram" "overt_request_duration_seconds": "How long requests took, by method";
    IN_FLIGHT = "gauge" "overt_requests_in_flight": "Requests that wait for their answer, by direction";
    NOTIFICATIONS = "counter" "overt_notifications_total": "Notifications that passed, by direction";
    BYTES = "counter" "overt_message_bytes_total": "Bytes of messages that passed, by direction";
    SESSIONS = "gauge" "overt_sessions": "Sessions, and connections of clients that keep none, that are open";
    SESSIONS_TOTAL = "counter" "overt_sessions_total": "Sessions and such connections since the start";
    UPSTREAM_UP = "gauge" "overt_upstream_up": "1 while the server behind can be asked, 0 otherwise";
    UPSTREAM_SESSIONS = "gauge" "overt_upstream_sessions": "Sessions with the server behind that are open";
    UPSTREAM_OPENED = "counter" "overt_upstream_opened_total": "Conversations with the server behind that were opened; restarts count again";
    UPSTREAM_LOST = "counter" "overt_upstream_lost_total": "Conversations with the server behind that were lost";
    UPSTREAM_IN_FLIGHT = "gauge" "overt_upstream_requests_in_flight": "Requests that the server behind is working on";
    UPSTREAM_DROPPED = "counter" "overt_upstream_dropped_messages_total": "Messages of the server behind that were thrown away";
    UPSTREAM_REFUSED = "counter" "overt_upstream_refused_questions_total": "Questions of the server behind that did not reach a client";
    SUSPENDED = "gauge" "overt_suspended_calls": "Calls that wait for a client to come back with answers";
    TRACE_DROPPED = "counter" "overt_trace_dropped_total": "Messages that the trace file lacks";
    SPANS_SENT = "counter" "overt_otlp_spans_sent_total": "Spans that the collector took";
    SPANS_DROPPED = "counter" "overt_otlp_spans_dropped_total": "Spans that no collector took";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_every_metric() {
        let document = include_str!("../../../../../docs/observability.md");
        let listed: Vec<(String, String, String)> = document
            .lines()
            .filter_map(|line| {
                let mut cells = line.split('|').map(str::trim).skip(1);
                let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
                (name.starts_with("overt_") || name.starts_with("process_")).then_some((
                    name.to_owned(),
                    cells.next()?.to_owned(),
                    cells.next()?.to_owned(),
                ))
            })
            .collect();
        let code: Vec<_> = ALL
            .iter()
            .map(|metric| (metric.name.to_owned(), metric.kind.to_owned(), metric.help.to_owned()))
            .collect();
        assert_eq!(listed, code);
    }
}
