//! The toy controller behind the adapter protocol: firstflight run --adapter target/release/adapter --algorithm slow-start

use std::io;

use firstflight_flat::flat::{parse, Json};
use firstflight_flat::newreno::{Mistake, NewReno};

const HELLO: &str = r#"{"op":"hello","protocol":1,"name":"toy in Rust","version":"1",
    "algorithms":{"slow-start":["rfc-9002"]},"observables":["cwnd_bytes","ssthresh_bytes"]}"#;

fn answer(message: &Json, controller: &mut Option<NewReno>) -> String {
    match message.get("op").text() {
        "hello" => HELLO.replace('\n', ""),
        "start" if (message.get("algorithm").text(), message.get("profile").text()) != ("slow-start", "rfc-9002") => {
            r#"{"op":"unsupported","reason":"only slow-start/rfc-9002"}"#.into()
        }
        "start" => {
            *controller = Some(NewReno::new(message.get("config"), Mistake::None));
            r#"{"op":"started"}"#.into()
        }
        "event" => {
            let observed = controller.as_mut().expect("start comes first").on_event(message.get("event"));
            let members: Vec<_> = observed[..2].iter().map(|(name, value)| format!(r#","{name}":{}"#, encode(value))).collect();
            format!(r#"{{"op":"observed","i":{}{}}}"#, message.get("i").number(), members.concat())
        }
        _ => r#"{"op":"ended"}"#.into(),
    }
}

/// Numbers from 2^53 on are decimal strings.
fn encode(value: &Json) -> String {
    match value.number_or_none() {
        Some(number) if number < 1 << 53 => number.to_string(),
        Some(number) => format!("\"{number}\""),
        None => "null".into(),
    }
}

fn decode(value: Json) -> Json {
    match value {
        Json::Text(text) => text.parse().map_or(Json::Text(text), Json::Number),
        Json::List(items) => Json::List(items.into_iter().map(decode).collect()),
        Json::Map(members) => Json::Map(members.into_iter().map(|(name, inner)| (name, decode(inner))).collect()),
        other => other,
    }
}

fn main() {
    let mut controller = None;
    for line in io::stdin().lines() {
        let text = line.expect("standard input is readable");
        println!("{}", answer(&decode(parse(&text).expect("JSON")), &mut controller));
    }
}
