//! The NewReno and CUBIC of noq-proto, a fork of quinn-proto, behind the adapter protocol.

extern crate alloc;

// The controllers import these from the root of their crate.
use std::time::{Duration, Instant};

use connection::RttEstimator;
use firstflight_conversation::{Declaration, converse};
use path::Path;

#[path = "../../quinn-proto/src/path.rs"]
mod path;

// The source of the stack.
include!(concat!(env!("OUT_DIR"), "/noq_proto.rs"));

mod connection {
    pub use crate::path::connection::RttEstimator;

    /// The packet number spaces. BBR writes their names to its log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SpaceKind {
        Data,
    }
}

/// The calls that differ from quinn-proto.
mod stack {
    use std::sync::Arc;
    use std::time::Instant;

    use firstflight_conversation::{Case, Packets, Run};

    use crate::congestion::{Controller, ControllerFactory, CubicConfig, NewRenoConfig};
    use crate::connection::RttEstimator;

    pub fn factory(case: &Case) -> Arc<dyn ControllerFactory> {
        if case.algorithm == "cubic" {
            let mut config = CubicConfig::default();
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
        controller.on_ack(now, sent, packet.size_bytes, packet.first, app_limited, rtt);
    }

    pub fn on_lost(
        controller: &mut dyn Controller,
        packets: &Packets,
        (now, sent): (Instant, Instant),
        persistent: bool,
    ) {
        controller.on_congestion_event(now, sent, persistent, false, packets.bytes, packets.newest().last);
    }

    pub fn on_ce(controller: &mut dyn Controller, packet: u64, (now, sent): (Instant, Instant)) {
        controller.on_congestion_event(now, sent, false, true, 0, packet);
    }

    /// `Connection::detect_spurious_loss` holds once all packets are acknowledged that the stack remembers as lost.
    pub fn on_spurious_loss(controller: &mut dyn Controller) -> Result<(), String> {
        controller.on_spurious_congestion_event();
        Ok(())
    }
}

fn main() {
    let declaration = Declaration {
        name: "noq-proto",
        version: NOQ_PROTO_VERSION,
        algorithms: &[("slow-start", &["rfc-9002"]), ("cubic", &["rfc-9438"])],
        ssthresh: true,
        clock: "ns",
        arithmetic: "float64",
        avoidance: "datagram",
        controller: "newreno",
        datagram_size: true,
    };
    converse(&declaration, Path::start);
}
