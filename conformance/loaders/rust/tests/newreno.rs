//! The toy controller judged by the vectors of RFC 9002. Run: cargo test

use std::{env, fs};

use firstflight_flat::flat::{cases, first_difference, read_event, Json};
use firstflight_flat::newreno::NewReno;

fn profile() -> String {
    let flat = env::var("FIRSTFLIGHT_FLAT").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../flat").into());
    let path = format!("{flat}/slow-start/rfc-9002.ndjson");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn differences(app_limited_grows: bool) -> Vec<String> {
    let read = cases(&profile()).expect("the file is of this format");
    let judge = |(case, events): &(Json, Vec<Json>)| {
        let mut controller = NewReno::new(case, app_limited_grows);
        first_difference(case, events, |event| controller.on_event(event))
    };
    read.iter().filter_map(judge).collect()
}

#[test]
fn a_right_controller_agrees() {
    assert_eq!(differences(false), Vec::<String>::new());
}

#[test]
fn a_mistake_is_found() {
    let found = &differences(true)[0];
    assert!(found.starts_with("slow-start.app-limited.") && found.contains(": cwnd_bytes: expected "), "{found}");
}

#[test]
fn an_unknown_member_is_refused() {
    let content = profile();
    let text = content.lines().nth(2).expect("a third line");
    assert_eq!(read_event(text).map(|event| event.get("ev").text().to_owned()), Ok("sent".into()));
    assert!(read_event(&text.replace("\"t_ns\":", "\"news\":1,\"t_ns\":")).is_err());
    assert!(read_event(&text.replace("\"phase\":", "\"news\":1,\"phase\":")).is_err());
}
