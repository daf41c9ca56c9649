//! The NewReno, CUBIC and, with the argument `bbr`, BBR of quinn-proto behind the adapter protocol.

// The controllers import these from the root of their crate.
use std::time::{Duration, Instant};

use firstflight_conversation::{Declaration, converse};
use path::{Path, connection};

mod path;

// The source of the stack.
include!(concat!(env!("OUT_DIR"), "/quinn_proto.rs"));

/// The calls that differ from noq-proto.
mod stack {
    use std::sync::Arc;
    use std::time::Instant;

    use firstflight_conversation::{Case, Packets, Run};

    use crate::congestion::{BbrConfig, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
    use crate::connection::RttEstimator;

    pub fn factory(case: &Case) -> Arc<dyn ControllerFactory> {
        if case.algorithm == "cubic" {
            let mut config = CubicConfig::default();
            case.initial_window_bytes.map(|window| config.initial_window(window));
            Arc::new(config)
        } else if case.algorithm == "bbr" {
            let mut config = BbrConfig::default();
            case.initial_window_bytes.map(|window| config.initial_window(window));
            Arc::new(config)
        } else {
            let mut config = NewRenoConfig::default();
            case.initial_window_bytes.map(|window| config.initial_window(window));
            Arc::new(config)
        }
    }

    pub fn on_ack(
        controller: &mut dyn Controller,
        packet: &Run,
        (now, sent): (Instant, Instant),
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        controller.on_ack(now, sent, packet.size_bytes, app_limited, rtt);
    }

    pub fn on_lost(
        controller: &mut dyn Controller,
        packets: &Packets,
        (now, sent): (Instant, Instant),
        persistent: bool,
    ) {
        controller.on_congestion_event(now, sent, persistent, packets.bytes);
    }

    pub fn on_ce(controller: &mut dyn Controller, _packet: u64, (now, sent): (Instant, Instant)) {
        controller.on_congestion_event(now, sent, false, 0);
    }

    pub fn on_spurious_loss(_controller: &mut dyn Controller) -> Result<(), String> {
        Err("quinn-proto does not detect spurious loss".into())
    }
}

fn main() {
    let bbr = std::env::args().nth(1).is_some_and(|argument| argument == "bbr");
    let declaration = Declaration {
        name: if bbr { "quinn-proto BBR" } else { "quinn-proto" },
        version: QUINN_PROTO_VERSION,
        algorithms: if bbr {
            &[("bbr", &["draft-06"])]
        } else {
            &[("slow-start", &["rfc-9002"]), ("cubic", &["rfc-9438"])]
        },
        // BBR has none.
        ssthresh: !bbr,
        clock: "ns",
        arithmetic: "float64",
        avoidance: "datagram",
        controller: "newreno",
        datagram_size: true,
    };
    converse(&declaration, Path::start);
}
