//! The CUBIC controller of s2n-quic-core behind the adapter protocol (`spec/adapter-protocol.md`).
//!
//! Every event is handed to the function that the stack's own recovery calls for it, in the same order and with the same
//! granularity: one call per packet sent or lost, one call for all packets that an ACK frame acknowledges.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use num_rational::Ratio;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo, Publisher};
use s2n_quic_core::recovery::cubic::builder::Builder;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::transport::parameters::MaxAckDelay;
use s2n_quic_core::{inet, packet::number::PacketNumberSpace, path, random, time::Timestamp};
use serde_json::{Value, json};

fn main() {
    let mut connection = None;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.expect("standard input is readable");
        let message: Value = serde_json::from_str(&line).expect("every line is JSON");
        let answer = match text(&message, "op") {
            "hello" => hello(),
            "start" => match Connection::start(&message) {
                Ok(started) => {
                    connection = Some(started);
                    json!({"op": "started"})
                }
                Err(reason) => json!({"op": "unsupported", "reason": reason}),
            },
            "event" => {
                let connection = connection.as_mut().expect("start comes before event");
                match connection.process(&message["event"]) {
                    Ok(()) => json!({"op": "observed", "i": message["i"], "cwnd_bytes": connection.window()}),
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

fn hello() -> Value {
    let pin = include_str!("../Cargo.toml").lines().find_map(|line| line.strip_prefix("s2n-quic-core = \"="));
    json!({
        "op": "hello",
        "protocol": 1,
        "name": "s2n-quic-core cubic",
        "version": pin.expect("the dependency is pinned").trim_end_matches('"'),
        "algorithms": {"slow-start": ["rfc-9002"]},
        // The threshold and the phase are private.
        "observables": ["cwnd_bytes"],
        // `Timestamp` counts microseconds.
        "clock": "us",
        "arithmetic": "float32",
    })
}

/// What the stack keeps for one path, as far as congestion control is concerned.
struct Connection {
    state: State,
    ce_count: u64,
    /// The last event if it was a loss, with the state before it.
    last_loss: Option<(State, Value)>,
}

#[derive(Clone)]
struct State {
    controller: CubicCongestionController,
    rtt: RttEstimator,
}

impl Connection {
    fn start(message: &Value) -> Result<Self, String> {
        let (algorithm, profile) = (text(message, "algorithm"), text(message, "profile"));
        if (algorithm, profile) != ("slow-start", "rfc-9002") {
            return Err(format!("{algorithm}/{profile} is not implemented"));
        }
        let config = &message["config"];
        let mut builder = Builder::default();
        if !config["initial_window_bytes"].is_null() {
            let window = u32::try_from(number(config, "initial_window_bytes"));
            builder = builder.with_initial_congestion_window(window.map_err(|_| "the initial window is a u32")?);
        }
        let address = inet::SocketAddress::default();
        let mut path = PathInfo::new(&path::Config::default(), &address);
        path.max_datagram_size = u16::try_from(number(config, "max_datagram_size_bytes")).expect("at most 65535");
        let mut rtt = RttEstimator::default();
        // A peer that sends no max_ack_delay has the default one.
        rtt.on_max_ack_delay(MaxAckDelay::default());
        let controller = builder.build().new_congestion_controller(path);
        Ok(Self { state: State { controller, rtt }, ce_count: 0, last_loss: None })
    }

    fn window(&self) -> u32 {
        self.state.controller.congestion_window()
    }

    fn process(&mut self, event: &Value) -> Result<(), String> {
        let now = timestamp(number(event, "t_ns"));
        let last_loss = self.last_loss.take();
        match text(event, "ev") {
            "sent" => {
                if number(event, "bytes_in_flight") > u32::MAX.into() {
                    return Err("the controller counts bytes in flight in 32 bits".into());
                }
                self.state.on_sent(event, now);
            }
            "ack" => self.state.on_ack(event, now),
            "lost" => {
                self.last_loss = Some((self.state.clone(), event.clone()));
                self.state.on_lost(event, now, false);
            }
            "ce" => {
                let ce_count = number(event, "ce_count");
                let marked = ce_count.saturating_sub(self.ce_count);
                self.state.controller.on_explicit_congestion(marked, now, &mut Ignore);
                self.ce_count = ce_count;
            }
            // The stack learns of persistent congestion by an argument of the loss itself, the protocol by an event after the
            // loss. So the loss is taken back and reported again with that argument.
            "persistent_congestion" => {
                let (before, loss) = last_loss.ok_or("the stack takes persistent congestion only with a loss")?;
                self.state = before;
                self.state.on_lost(&loss, now, true);
            }
            // The stack's recovery does not tell the controller.
            "pto" => {}
            other => return Err(format!("no function for the event {other}")),
        }
        Ok(())
    }
}

impl State {
    fn on_sent(&mut self, event: &Value, now: Timestamp) {
        let app_limited = event["app_limited"].as_bool();
        for [first, last, size] in runs(event) {
            for _ in first..=last {
                self.controller.on_packet_sent(now, size as usize, app_limited, &self.rtt, &mut Ignore);
            }
        }
    }

    fn on_ack(&mut self, event: &Value, now: Timestamp) {
        let newest = &event["packets"].as_array().and_then(|runs| runs.last()).expect("a run")[3];
        let sent = timestamp(integer(newest));
        if !event["latest_rtt_ns"].is_null() {
            let ack_delay = Duration::from_nanos(number(event, "ack_delay_ns"));
            let sample = Duration::from_nanos(number(event, "latest_rtt_ns"));
            self.rtt.update_rtt(ack_delay, sample, now, true, PacketNumberSpace::ApplicationData);
            self.controller.on_rtt_update(sent, now, &self.rtt, &mut Ignore);
        }
        let acked = number(event, "bytes") as usize;
        self.controller.on_ack(sent, acked, (), &self.rtt, &mut NoRandom, now, &mut Ignore);
    }

    fn on_lost(&mut self, event: &Value, now: Timestamp, persistent: bool) {
        let mut previous = None;
        for [first, last, size] in runs(event) {
            for packet in first..=last {
                let new_burst = previous.is_none_or(|previous| previous + 1 != packet);
                let size = size as u32;
                self.controller.on_packet_lost(size, (), persistent, new_burst, &mut NoRandom, now, &mut Ignore);
                previous = Some(packet);
            }
        }
        if persistent {
            self.rtt.on_persistent_congestion();
        }
    }
}

/// The controller reports to a publisher; nothing of that is an observable.
struct Ignore;

impl Publisher for Ignore {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}

/// CUBIC draws no random numbers.
struct NoRandom;

impl random::Generator for NoRandom {
    fn public_random_fill(&mut self, _: &mut [u8]) {
        unreachable!()
    }
    fn private_random_fill(&mut self, _: &mut [u8]) {
        unreachable!()
    }
}

/// The packet runs of an event as `[first, last, size]`.
fn runs(event: &Value) -> impl Iterator<Item = [u64; 3]> {
    let runs = event["packets"].as_array().expect("packets is a list");
    runs.iter().map(|run| [integer(&run[0]), integer(&run[1]), integer(&run[2])])
}

fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_else(|| panic!("{key}: a string is needed"))
}

fn number(object: &Value, key: &str) -> u64 {
    integer(&object[key])
}

/// Numbers from 2^53 on are decimal strings.
fn integer(value: &Value) -> u64 {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
    number.unwrap_or_else(|| panic!("{value} is no number"))
}

fn timestamp(t_ns: u64) -> Timestamp {
    // SAFETY: reserved for time sources; here the vector is the time source.
    unsafe { Timestamp::from_duration(Duration::from_nanos(t_ns)) }
}
