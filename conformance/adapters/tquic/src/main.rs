//! The CUBIC of tquic, always with HyStart++, or with the argument `bbr` or `bbr3` one of its BBRs, behind the adapter protocol.
//!
//! The adapter calls the controller in the same order as tquic's `Recovery` (connection/recovery.rs). Its loss detector
//! is omitted, because the vectors report losses. The order matters: `on_ack_received` passes the acknowledged packets
//! to the controller before it takes the RTT sample of the frame.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use congestion_control::{Bbr, Bbr3, Bbr3Config, BbrConfig, CongestionController, Cubic, CubicConfig};
use connection::rtt::RttEstimator;
use connection::space::SentPacket;
use firstflight_conversation::{Ack, Case, Connection, Declaration, Event, Kind, Observed, Packets, Run, converse};
// Names that the source of the stack expects here.
use stubs::{DEFAULT_SEND_UDP_PAYLOAD_SIZE, Error, INITIAL_RTT, RecoveryConfig, Result, TIMER_GRANULARITY};

mod stubs;

// The source of the stack.
include!(concat!(env!("OUT_DIR"), "/tquic.rs"));

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    let bbr = !argument.is_empty();
    let declaration = Declaration {
        name: match argument.as_str() {
            "bbr" => "tquic bbr",
            "bbr3" => "tquic bbr3",
            _ => "tquic cubic, HyStart++",
        },
        version: TQUIC_VERSION,
        algorithms: if bbr {
            &[("bbr", &["draft-06"])]
        } else {
            &[("slow-start", &["rfc-9002"]), ("cubic", &["rfc-9438"]), ("hystartpp", &["rfc-9406+cubic"])]
        },
        // BBR lacks a threshold.
        ssthresh: !bbr,
        clock: "ns",
        arithmetic: "float64",
        avoidance: "datagram",
        controller: if bbr { "newreno" } else { "cubic" },
        datagram_size: false,
    };
    converse(&declaration, move |case: &Case| Path::start(case, argument == "bbr"));
}

struct Path {
    controller: Held,
    /// The packets in flight, with the controller's state of each.
    packets: BTreeMap<u64, SentPacket>,
    rtt: RttEstimator,
    /// Whether the estimator has the handshake's RTT sample.
    measured: bool,
    bytes_in_flight: u64,
    epoch: Instant,
}

impl Path {
    fn start(case: &Case, first: bool) -> std::result::Result<Self, String> {
        let mut config = RecoveryConfig::default();
        // The send quantum of both is at least two datagrams and at most 65536 bytes: clamp panics where it cannot be both.
        if case.algorithm == "bbr" && case.max_datagram_size_bytes > 32_768 {
            return Err("two datagrams exceed the send quantum of tquic's BBR".into());
        }
        config.max_datagram_size = case.max_datagram_size_bytes as usize;
        config.initial_congestion_window = case.initial_window_packets(config.initial_congestion_window)?;
        Ok(Self {
            controller: match case.algorithm {
                "bbr" if first => Held::Bbr(Bbr::new(BbrConfig::from(&config))),
                "bbr" => Held::Bbr3(Bbr3::new(Bbr3Config::from(&config))),
                _ => Held::Cubic(Cubic::new(CubicConfig::from(&config))),
            },
            packets: BTreeMap::new(),
            rtt: RttEstimator::new(config.initial_rtt),
            measured: false,
            bytes_in_flight: 0,
            epoch: Instant::now(),
        })
    }

    fn on_sent(&mut self, packets: &Packets, now: Instant) {
        for packet in packets.each() {
            let mut sent = sent(packet, self.epoch);
            self.controller.get_mut().on_sent(now, &mut sent, self.bytes_in_flight);
            self.packets.insert(packet.last, sent);
            self.bytes_in_flight += packet.size_bytes;
        }
    }

    /// Update the estimator as the ACK of a handshake packet does, which never reaches the controller. The path has one RTT
    /// until the first ACK, so the sample of the handshake is the first sample of the case.
    fn on_handshake(&mut self, sample: Duration) {
        if !self.measured {
            self.measured = true;
            self.rtt.update(Duration::ZERO, sample);
        }
    }

    /// `Recovery::on_ack_received` without its search for losses, which the vector reports.
    fn on_ack(&mut self, ack: &Ack, now: Instant) {
        let sample = ack.latest_rtt.filter(|sample| !sample.is_zero());
        if let Some(sample) = sample {
            self.on_handshake(sample);
        }
        self.controller.get_mut().begin_ack(now, self.bytes_in_flight);
        for packet in ack.packets.each() {
            let known = self.packets.remove(&packet.last).expect("a packet that was sent");
            let mut acked = SentPacket { time_acked: Some(now), ..known };
            self.bytes_in_flight -= packet.size_bytes;
            // `Recovery::detect_acked_packets` never says that the window was not used.
            self.controller.get_mut().on_ack(&mut acked, now, false, &self.rtt, self.bytes_in_flight);
        }
        if let Some(sample) = sample {
            self.rtt.update(ack.ack_delay, sample);
        }
        self.controller.get_mut().end_ack();
    }

    /// `Recovery::detect_lost_packets` from the place where the lost packets are known.
    fn on_lost(&mut self, packets: &Packets, now: Instant) {
        let lost = packets.each().filter_map(|packet| self.packets.remove(&packet.last));
        let newest = lost.last().expect("packets that were sent");
        self.bytes_in_flight -= packets.bytes;
        self.controller.get_mut().on_congestion_event(now, &newest, false, packets.bytes, self.bytes_in_flight);
    }
}

impl Connection for Path {
    fn process(&mut self, event: &Event) -> std::result::Result<(), String> {
        let now = self.epoch + event.now;
        match &event.kind {
            Kind::Sent { packets, .. } => self.on_sent(packets, now),
            // The controllers test the RTT for 0 and divide by its microseconds.
            Kind::Ack(ack) if ack.latest_rtt.is_some_and(|rtt| !rtt.is_zero() && rtt < Duration::from_micros(1)) => {
                return Err("tquic divides by the RTT in microseconds, which is 0 here".into());
            }
            Kind::Ack(ack) => self.on_ack(ack, now),
            Kind::Lost { packets } => self.on_lost(packets, now),
            // The controller is not told of an expired probe timer.
            Kind::Pto => {}
            Kind::Ce { .. } => return Err("tquic does not read ECN counters".into()),
            Kind::PersistentCongestion => {
                return Err("tquic never finds persistent congestion: in_persistent_congestion is to be done".into());
            }
            Kind::SpuriousLoss => return Err("tquic does not detect spurious loss".into()),
            Kind::IdleRestart => return Err("no function for the event idle_restart".into()),
            Kind::DatagramSize { .. } => return Err("no function for the event datagram_size".into()),
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        match &self.controller {
            Held::Bbr(controller) => Observed { cwnd_bytes: controller.congestion_window(), ssthresh_bytes: None },
            Held::Bbr3(controller) => Observed { cwnd_bytes: controller.congestion_window(), ssthresh_bytes: None },
            Held::Cubic(controller) => {
                let threshold = ssthresh(controller);
                let ssthresh_bytes = (threshold != u64::MAX).then_some(threshold);
                Observed { cwnd_bytes: controller.congestion_window(), ssthresh_bytes }
            }
        }
    }
}

enum Held {
    Cubic(Cubic),
    Bbr(Bbr),
    Bbr3(Bbr3),
}

impl Held {
    fn get_mut(&mut self) -> &mut dyn CongestionController {
        match self {
            Self::Cubic(controller) => controller,
            Self::Bbr(controller) => controller,
            Self::Bbr3(controller) => controller,
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
