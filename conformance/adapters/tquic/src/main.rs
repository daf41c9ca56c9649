//! The CUBIC of tquic, always with HyStart++, behind the adapter protocol.
//!
//! The controller is called as tquic's `Recovery` (connection/recovery.rs) calls it, in its order; its loss detector is left out,
//! since the vectors report losses. That order matters: `on_ack_received` hands the acknowledged packets to the controller before it
//! takes the RTT sample of the frame.

use std::time::Instant;

use congestion_control::{CongestionController, Cubic, CubicConfig};
use connection::rtt::RttEstimator;
use connection::space::SentPacket;
use firstflight_conversation::{Ack, Case, Connection, Declaration, Event, Kind, Observed, Packets, Run, converse};
// Names that the source of the stack expects here.
use stubs::{DEFAULT_SEND_UDP_PAYLOAD_SIZE, Error, INITIAL_RTT, RecoveryConfig, Result, TIMER_GRANULARITY};

mod stubs;

// The source of the stack.
include!(concat!(env!("OUT_DIR"), "/tquic.rs"));

fn main() {
    let declaration = Declaration {
        name: "tquic cubic, HyStart++",
        version: TQUIC_VERSION,
        algorithms: &[("slow-start", &["rfc-9002"]), ("cubic", &["rfc-9438"]), ("hystartpp", &["rfc-9406+cubic"])],
        ssthresh: true,
        clock: "ns",
        arithmetic: "float64",
        avoidance: "datagram",
        controller: "cubic",
    };
    converse(&declaration, Path::start);
}

struct Path {
    controller: Cubic,
    rtt: RttEstimator,
    bytes_in_flight: u64,
    epoch: Instant,
}

impl Path {
    fn start(case: &Case) -> std::result::Result<Self, String> {
        let mut config = RecoveryConfig::default();
        config.max_datagram_size = case.max_datagram_size_bytes as usize;
        config.initial_congestion_window = case.initial_window_packets(config.initial_congestion_window)?;
        Ok(Self {
            controller: Cubic::new(CubicConfig::from(&config)),
            rtt: RttEstimator::new(config.initial_rtt),
            bytes_in_flight: 0,
            epoch: Instant::now(),
        })
    }

    fn on_sent(&mut self, packets: &Packets, now: Instant) {
        for packet in packets.each() {
            self.controller.on_sent(now, &mut sent(packet, self.epoch), self.bytes_in_flight);
            self.bytes_in_flight += packet.size_bytes;
        }
    }

    /// `Recovery::on_ack_received` without its search for losses, which the vector reports.
    fn on_ack(&mut self, ack: &Ack, now: Instant) {
        self.controller.begin_ack(now, self.bytes_in_flight);
        for packet in ack.packets.each() {
            let mut acked = SentPacket { time_acked: Some(now), ..sent(packet, self.epoch) };
            self.bytes_in_flight -= packet.size_bytes;
            // `Recovery::detect_acked_packets` never says that the window was not used.
            self.controller.on_ack(&mut acked, now, false, &self.rtt, self.bytes_in_flight);
        }
        if let Some(sample) = ack.latest_rtt.filter(|sample| !sample.is_zero()) {
            self.rtt.update(ack.ack_delay, sample);
        }
        self.controller.end_ack();
    }

    /// `Recovery::detect_lost_packets` from the place where the lost packets are known.
    fn on_lost(&mut self, packets: &Packets, now: Instant) {
        let newest = sent(*packets.newest(), self.epoch);
        self.bytes_in_flight -= packets.bytes;
        self.controller.on_congestion_event(now, &newest, false, packets.bytes, self.bytes_in_flight);
    }
}

impl Connection for Path {
    fn process(&mut self, event: &Event) -> std::result::Result<(), String> {
        let now = self.epoch + event.now;
        match &event.kind {
            Kind::Sent { packets, .. } => self.on_sent(packets, now),
            Kind::Ack(ack) => self.on_ack(ack, now),
            Kind::Lost { packets } => self.on_lost(packets, now),
            // The controller is not told of an expired probe timer.
            Kind::Pto => {}
            Kind::Ce { .. } => return Err("tquic does not read ECN counters".into()),
            Kind::PersistentCongestion => {
                return Err("tquic never finds persistent congestion: in_persistent_congestion is to be done".into());
            }
            Kind::SpuriousLoss => return Err("tquic does not detect spurious loss".into()),
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        let threshold = ssthresh(&self.controller);
        Observed {
            cwnd_bytes: self.controller.congestion_window(),
            ssthresh_bytes: (threshold != u64::MAX).then_some(threshold),
        }
    }
}

/// The threshold is private; tquic shows it only where the controller describes itself for the log.
fn ssthresh(controller: &Cubic) -> u64 {
    let text = format!("{controller:?}");
    let value = text.split(" ssthresh: ").nth(1).and_then(|rest| rest.split(',').next());
    value.and_then(|digits| digits.parse().ok()).expect("tquic's description names the threshold")
}

/// The packet as tquic remembers it; of a run the last one.
fn sent(packet: Run, epoch: Instant) -> SentPacket {
    SentPacket {
        pkt_num: packet.last,
        time_sent: epoch + packet.sent,
        time_acked: None,
        sent_size: packet.size_bytes as usize,
        rate_sample_state: Default::default(),
    }
}
