//! The adapter's side of the protocol in `spec/adapter-protocol.md`, for stacks in Rust.
//!
//! An adapter declares its stack, starts cases, and implements [`Connection`]; [`converse`] does the rest.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value, json};

mod event;

pub use event::{Ack, Event, Kind, Packets, Run};

/// The declaration of an adapter about its implementation.
pub struct Declaration {
    pub name: &'static str,
    pub version: &'static str,
    /// Pairs of an algorithm and its profiles.
    pub algorithms: &'static [(&'static str, &'static [&'static str])],
    /// Whether the slow-start threshold can be read.
    pub ssthresh: bool,
    /// `ns`, `us` or `ms`.
    pub clock: &'static str,
    /// `integer`, `float32` or `float64`.
    pub arithmetic: &'static str,
    /// `exact` or `datagram`.
    pub avoidance: &'static str,
    /// `newreno`, or `cubic`: then RFC 9002 judges up to the first reduction only.
    pub controller: &'static str,
    /// Whether controllers of the stack are notified of a new maximum datagram size. If so, the adapter declares
    /// protocol 2.
    pub datagram_size: bool,
}

/// The kinds of events that adapters of protocol 2 receive. Lost PMTU probes and packets that are not in flight are
/// missing: connections do not report them to their controllers. A new address is missing as well: it gets a new
/// controller.
const SUPPORTS: [&str; 11] = [
    "sent",
    "ack",
    "lost",
    "ce",
    "persistent_congestion",
    "pto",
    "backlog",
    "idle_restart",
    "saved_path",
    "spurious_loss",
    "datagram_size",
];

/// The start of a case.
pub struct Case<'a> {
    pub algorithm: &'a str,
    pub profile: &'a str,
    pub max_datagram_size_bytes: u64,
    /// `None`: the stack's own initial window.
    pub initial_window_bytes: Option<u64>,
}

impl Case<'_> {
    /// Return the initial window for stacks that count it in datagrams; `default` without a window in the case.
    pub fn initial_window_packets(&self, default: u64) -> Result<u64, String> {
        let Some(bytes) = self.initial_window_bytes else { return Ok(default) };
        if bytes % self.max_datagram_size_bytes != 0 {
            return Err("the stack takes an initial window in whole datagrams".into());
        }
        Ok(bytes / self.max_datagram_size_bytes)
    }
}

/// The observables after an event.
pub struct Observed {
    pub cwnd_bytes: u64,
    /// `None`: infinite, or not declared.
    pub ssthresh_bytes: Option<u64>,
}

/// The stack during one case.
pub trait Connection {
    /// Process one event, or return the reason why the stack lacks an equivalent.
    fn process(&mut self, event: &Event) -> Result<(), String>;

    fn observe(&self) -> Observed;
}

/// Return the pinned version of a dependency in a Cargo.toml.
pub fn pinned(cargo_toml: &'static str, dependency: &str) -> &'static str {
    let line = cargo_toml.lines().find(|line| line.starts_with(&format!("{dependency} = ")));
    let version = line.and_then(|line| line.split("\"=").nth(1)?.split('"').next());
    version.unwrap_or_else(|| panic!("Cargo.toml pins no {dependency}"))
}

/// Answer the messages on standard input until it ends. `start` returns the reason if a case is not supported; it is
/// called only for declared profiles.
pub fn converse<C: Connection>(declaration: &Declaration, start: impl Fn(&Case) -> Result<C, String>) {
    let mut connection = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.expect("standard input is readable");
        let message: Value = serde_json::from_str(&line).expect("every line is JSON");
        let answer = match event::text(&message, "op") {
            "hello" => hello(declaration),
            "start" => match begin(declaration, &start, &message) {
                Ok(started) => {
                    connection = Some(started);
                    json!({"op": "started"})
                }
                Err(reason) => json!({"op": "unsupported", "reason": reason}),
            },
            "event" => {
                let connection = connection.as_mut().expect("start comes before event");
                match connection.process(&Event::read(&message["event"])) {
                    Ok(()) => observed(declaration, &message["i"], &connection.observe()),
                    Err(reason) => json!({"op": "unsupported", "reason": reason}),
                }
            }
            "end" => {
                connection = None;
                json!({"op": "ended"})
            }
            other => panic!("unknown op {other}"),
        };
        writeln!(out, "{answer}").expect("standard output is writable");
    }
}

fn hello(declaration: &Declaration) -> Value {
    let algorithms = declaration.algorithms.iter().map(|(name, profiles)| (name.to_string(), json!(profiles)));
    let observables: &[_] = if declaration.ssthresh { &["cwnd_bytes", "ssthresh_bytes"] } else { &["cwnd_bytes"] };
    let mut hello = json!({
        "op": "hello",
        "protocol": 1 + u8::from(declaration.datagram_size),
        "name": declaration.name,
        "version": declaration.version,
        "algorithms": algorithms.collect::<Map<_, _>>(),
        "observables": observables,
        "clock": declaration.clock,
        "arithmetic": declaration.arithmetic,
        "avoidance": declaration.avoidance,
        "controller": declaration.controller,
    });
    if declaration.datagram_size {
        hello["supports"] = json!(SUPPORTS);
    }
    hello
}

fn begin<C>(
    declaration: &Declaration,
    start: impl Fn(&Case) -> Result<C, String>,
    message: &Value,
) -> Result<C, String> {
    let (algorithm, profile) = (event::text(message, "algorithm"), event::text(message, "profile"));
    let declared =
        declaration.algorithms.iter().any(|(name, profiles)| *name == algorithm && profiles.contains(&profile));
    if !declared {
        return Err(format!("{algorithm}/{profile} is not implemented"));
    }
    let config = &message["config"];
    start(&Case {
        algorithm,
        profile,
        max_datagram_size_bytes: event::number(config, "max_datagram_size_bytes"),
        initial_window_bytes: event::number_or_none(config, "initial_window_bytes"),
    })
}

fn observed(declaration: &Declaration, i: &Value, observed: &Observed) -> Value {
    let mut answer = json!({"op": "observed", "i": i, "cwnd_bytes": written(observed.cwnd_bytes)});
    if declaration.ssthresh {
        answer["ssthresh_bytes"] = observed.ssthresh_bytes.map_or(Value::Null, written);
    }
    answer
}

/// Numbers from 2^53 on are decimal strings.
fn written(number: u64) -> Value {
    if number < 1 << 53 { json!(number) } else { json!(number.to_string()) }
}
