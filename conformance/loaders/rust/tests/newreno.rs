//! The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: cargo test

use std::{env, fs};

use firstflight_flat::flat::{cases, first_difference, Json};
use firstflight_flat::newreno::NewReno;

fn folder(variable: &str, beside: &str) -> String {
    env::var(variable).unwrap_or(format!("{}/../{beside}", env!("CARGO_MANIFEST_DIR")))
}

fn read(path: &str) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn differences(content: &[u8], app_limited_grows: bool) -> Result<Vec<String>, String> {
    let judge = |(case, events): &(Json, Vec<Json>)| {
        let mut controller = NewReno::new(case, app_limited_grows);
        first_difference(case, events, |event| controller.on_event(event))
    };
    Ok(cases(content)?.iter().filter_map(judge).collect())
}

fn profile() -> Vec<u8> {
    read(&format!("{}/slow-start/rfc-9002.ndjson", folder("FIRSTFLIGHT_FLAT", "../flat")))
}

#[test]
fn a_right_controller_agrees() {
    assert_eq!(differences(&profile(), false), Ok(vec![]));
}

#[test]
fn a_mistake_is_found() {
    let found = &differences(&profile(), true).expect("the file is of this format")[0];
    assert!(found.starts_with("slow-start.app-limited.") && found.contains(": cwnd_bytes: expected "), "{found}");
}

#[test]
fn broken_files() {
    let broken = folder("FIRSTFLIGHT_BROKEN", "broken");
    let wanted = String::from_utf8(read(&format!("{broken}/verdicts.tsv"))).expect("UTF-8");
    for line in wanted.lines() {
        let (name, verdict) = line.split_once('\t').expect("a name and a verdict");
        let found = match differences(&read(&format!("{broken}/{name}")), false) {
            Ok(found) => if found.is_empty() { "agrees" } else { "differs" },
            Err(_) => "refused",
        };
        assert_eq!(found, verdict, "{name}");
    }
    println!("broken files: {0} of {0} as the list says", wanted.lines().count());
}
