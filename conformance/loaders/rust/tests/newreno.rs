//! The toy controller judged by the vectors of RFC 9002, the loader by broken files. Run: cargo test

use std::{env, fs};

use firstflight_flat::flat::{cases, first_difference, Json};
use firstflight_flat::newreno::{Mistake, NewReno};

fn folder(variable: &str, beside: &str) -> String {
    env::var(variable).unwrap_or(format!("{}/../{beside}", env!("CARGO_MANIFEST_DIR")))
}

fn read(path: &str) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Judge a controller that answers all events of a file, case by case.
fn differences<const N: usize>(
    content: &[u8], mut answers: impl FnMut(&Json, &[Json]) -> Vec<[(&'static str, Json); N]>,
) -> Result<Vec<String>, String> {
    let judge = |(case, events): &(Json, Vec<Json>)| {
        let mut observed = answers(case, events).into_iter();
        first_difference(case, events, |_| observed.next().expect("an answer to each event"))
    };
    Ok(cases(content)?.iter().filter_map(judge).collect())
}

fn toy(content: &[u8], mistake: Mistake) -> Result<Vec<String>, String> {
    differences(content, |case, events| {
        let mut controller = NewReno::new(case, mistake);
        events.iter().map(|event| controller.on_event(event)).collect()
    })
}

/// The answers of a file, one line for each event: window, threshold and phase.
fn recorded(content: &[u8], answers: &str) -> Result<Vec<String>, String> {
    let mut rows = answers.lines();
    differences(content, |_, events| events.iter().map(|_| {
        let row: Vec<&str> = rows.next().expect("a line for each event").split(' ').collect();
        let number = |text: &str| text.parse().map_or(Json::Null, Json::Number);
        [("cwnd_bytes", number(row[0])), ("ssthresh_bytes", number(row[1])), ("phase", Json::Text(row[2].into()))]
    }).collect())
}

fn verdict(found: Result<Vec<String>, String>) -> &'static str {
    match found {
        Ok(found) if found.is_empty() => "agrees",
        Ok(found) if found.iter().all(|text| text.starts_with("not decided: ")) => "open",
        Ok(_) => "differs",
        Err(_) => "refused",
    }
}

fn profile() -> Vec<u8> {
    read(&format!("{}/slow-start/rfc-9002.ndjson", folder("FIRSTFLIGHT_FLAT", "../flat")))
}

#[test]
fn a_right_controller_agrees() {
    assert_eq!(toy(&profile(), Mistake::None), Ok(vec![]));
}

#[test]
fn a_mistake_is_found() {
    let texts = toy(&profile(), Mistake::AppLimitedGrows).expect("the file is of this format");
    let found = texts.iter().find(|text| !text.starts_with("not decided: ")).expect("a difference");
    assert!(found.starts_with("slow-start.") && found.contains(": cwnd_bytes: expected "), "{found}");
}

#[test]
fn a_wrong_phase_is_found() {
    let found = &toy(&profile(), Mistake::StaysInRecovery).expect("the file is of this format")[0];
    assert!(found.contains(": phase: expected ") && found.ends_with(", observed recovery"), "{found}");
}

/// Only where `FIRSTFLIGHT_ANSWERS` is set: answers of other controllers, each with its verdict.
#[test]
fn answers_of_other_controllers() {
    let Ok(answers) = env::var("FIRSTFLIGHT_ANSWERS") else { return };
    for line in String::from_utf8(read(&format!("{answers}/verdicts.tsv"))).expect("UTF-8").lines() {
        let row: Vec<&str> = line.split('\t').collect();
        let content = read(&format!("{}/{}.ndjson", folder("FIRSTFLIGHT_FLAT", "../flat"), row[0]));
        let text = String::from_utf8(read(&format!("{answers}/{}", row[1]))).expect("UTF-8");
        assert_eq!(verdict(recorded(&content, &text)), row[2], "{line}");
    }
}

#[test]
fn broken_files() {
    let broken = folder("FIRSTFLIGHT_BROKEN", "broken");
    let wanted = String::from_utf8(read(&format!("{broken}/verdicts.tsv"))).expect("UTF-8");
    for line in wanted.lines() {
        let (name, verdict) = line.split_once('\t').expect("a name and a verdict");
        assert_eq!(self::verdict(toy(&read(&format!("{broken}/{name}")), Mistake::None)), verdict, "{name}");
    }
    println!("broken files: {0} of {0} as the list says", wanted.lines().count());
}
