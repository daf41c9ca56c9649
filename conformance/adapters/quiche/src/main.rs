//! The Reno and CUBIC of quiche behind the adapter protocol, or with the argument `bbr2` its BBR.
//!
//! The adapter calls the controllers in the same order as `LegacyRecovery` (recovery/congestion/recovery.rs). Its loss
//! detector is omitted, because the vectors report losses. RTTs go through the stack's estimator.

#[macro_use]
extern crate log;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use firstflight_conversation::{Ack, Case, Connection, Declaration, Event, Kind, Observed, Packets, Run, converse};
use recovery::bbr2::Bbr;
use recovery::legacy::{Acked, LegacyRecovery};
use recovery::{CongestionControlAlgorithm, RecoveryConfig, RecoveryOps, RttStats, Sent};
// Names that the source of the stack expects here.
use recovery::{StartupExit, StartupExitReason};
use stubs::{Config, Error, Result, frame, packet};

mod stubs;

// The source of the stack.
include!(concat!(env!("OUT_DIR"), "/quiche.rs"));

/// Defaults of quiche's `Config`.
const INITIAL_RTT: Duration = Duration::from_millis(333);
const MAX_ACK_DELAY: Duration = Duration::from_millis(25);
const INITIAL_WINDOW_PACKETS: u64 = 10;

fn main() {
    let bbr2 = std::env::args().nth(1).as_deref() == Some("bbr2");
    let declaration = Declaration {
        name: if bbr2 { "quiche bbr2" } else { "quiche" },
        version: QUICHE_VERSION,
        algorithms: if bbr2 {
            &[("bbr", &["draft-06"])]
        } else {
            &[("slow-start", &["rfc-9002"]), ("cubic", &["rfc-9438"]), ("hystartpp", &["rfc-9406+cubic"])]
        },
        ssthresh: !bbr2,
        clock: "ns",
        arithmetic: "float64",
        avoidance: "datagram",
        controller: "newreno",
        datagram_size: !bbr2,
    };
    if bbr2 {
        converse(&declaration, BbrPath::start);
    } else {
        converse(&declaration, Path::start);
    }
}

/// A path with BBR, and of each packet in flight when it was sent.
struct BbrPath {
    bbr: Bbr,
    sent: BTreeMap<u64, Instant>,
    next_packet: u64,
    epoch: Instant,
}

impl BbrPath {
    fn start(case: &Case) -> std::result::Result<Self, String> {
        let packets = case.initial_window_packets(INITIAL_WINDOW_PACKETS)? as usize;
        let bbr = Bbr::new(packets, case.max_datagram_size_bytes as usize, INITIAL_RTT, MAX_ACK_DELAY);
        Ok(Self { bbr, sent: BTreeMap::new(), next_packet: 0, epoch: Instant::now() })
    }

    fn least_unacked(&self) -> u64 {
        self.sent.first_key_value().map_or(self.next_packet, |(packet, _)| *packet)
    }
}

impl Connection for BbrPath {
    fn process(&mut self, event: &Event) -> std::result::Result<(), String> {
        let now = self.epoch + event.now;
        match &event.kind {
            Kind::Sent { packets, app_limited } => {
                for packet in packets.each() {
                    self.bbr.on_sent(packet.first, packet.size_bytes as usize, now);
                    self.sent.insert(packet.first, now);
                    self.next_packet = packet.first + 1;
                }
                // `Connection::send` says so once nothing more is to be sent.
                if *app_limited {
                    self.bbr.on_app_limited();
                }
            }
            Kind::Ack(ack) => {
                let acked: Vec<_> =
                    ack.packets.each().filter_map(|packet| self.sent.remove_entry(&packet.first)).collect();
                self.bbr.on_event(&acked, &[], ack.packets.bytes as usize, self.least_unacked(), now);
            }
            Kind::Lost { packets } => {
                let lost: Vec<_> = packets.each().map(|packet| (packet.first, packet.size_bytes as usize)).collect();
                for (packet, _) in &lost {
                    self.sent.remove(packet);
                }
                self.bbr.on_event(&[], &lost, packets.bytes as usize, self.least_unacked(), now);
            }
            Kind::Pto | Kind::IdleRestart => {}
            Kind::DatagramSize { .. } => return Err("no function for the event datagram_size".into()),
            Kind::SpuriousLoss => return Err("BBR of quiche does not undo a loss".into()),
            Kind::Ce { .. } => return Err("quiche does not read ECN counters".into()),
            Kind::PersistentCongestion => return Err("quiche does not detect persistent congestion".into()),
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        Observed { cwnd_bytes: self.bbr.window() as u64, ssthresh_bytes: None }
    }
}

struct Path {
    /// Contains the controller. Its own loss detector and RTT estimator are not used.
    recovery: LegacyRecovery,
    rtt: RttStats,
    /// State of packets in flight, as in quiche.
    sent: BTreeMap<u64, Sent>,
    bytes_in_flight: usize,
    max_datagram_size: usize,
    epoch: Instant,
}

impl Path {
    fn start(case: &Case) -> std::result::Result<Self, String> {
        let max_datagram_size = case.max_datagram_size_bytes as usize;
        let cubic = case.algorithm == "cubic" || case.profile.ends_with("+cubic");
        let config = RecoveryConfig {
            initial_rtt: INITIAL_RTT,
            max_send_udp_payload_size: max_datagram_size,
            max_ack_delay: MAX_ACK_DELAY,
            cc_algorithm: if cubic { CongestionControlAlgorithm::CUBIC } else { CongestionControlAlgorithm::Reno },
            custom_bbr_params: None,
            hystart: case.algorithm == "hystartpp",
            pacing: true,
            max_pacing_rate: None,
            initial_congestion_window_packets: case.initial_window_packets(INITIAL_WINDOW_PACKETS)? as usize,
            enable_relaxed_loss_threshold: false,
            enable_cubic_idle_restart_fix: true,
        };
        Ok(Self {
            recovery: LegacyRecovery::new_with_config(&config),
            rtt: RttStats::new(config.initial_rtt, config.max_ack_delay),
            sent: BTreeMap::new(),
            bytes_in_flight: 0,
            max_datagram_size,
            epoch: Instant::now(),
        })
    }

    /// `on_packet_sent`. The controller finds out by itself whether the window is used.
    fn on_sent(&mut self, packets: &Packets, app_limited: bool, now: Instant) {
        for packet in packets.each() {
            let mut sent = in_flight(packet, now);
            self.recovery.congestion.on_packet_sent(self.bytes_in_flight, sent.size, now, &mut sent, 0, true);
            self.bytes_in_flight += sent.size;
            self.sent.insert(packet.first, sent);
        }
        let room = self.recovery.congestion.congestion_window().saturating_sub(self.bytes_in_flight);
        if !app_limited && room < self.max_datagram_size {
            // There is more to send and no room for another packet: `send_single` of quiche's lib.rs takes back "app-limited".
            self.recovery.update_app_limited(false);
        }
    }

    /// `on_ack_received` without its search for losses, which the vector reports.
    fn on_ack(&mut self, ack: &Ack, now: Instant) {
        let acked: Vec<_> = ack.packets.each().filter_map(|packet| self.sent.remove(&packet.first)).collect();
        if let Some(latest_rtt) = ack.latest_rtt {
            self.rtt.update_rtt(latest_rtt, ack.ack_delay, now, true);
        }
        let mut newly_acked = acked.iter().map(|sent| acknowledged(sent, now)).collect();
        self.recovery.congestion.on_packets_acked(self.bytes_in_flight, &mut newly_acked, &self.rtt, now);
        self.bytes_in_flight -= ack.packets.bytes as usize;
    }

    /// `LegacyRecovery::detect_lost_packets` from the place where the lost packets are known.
    fn on_lost(&mut self, packets: &Packets, now: Instant) {
        let congestion = &mut self.recovery.congestion;
        let lost: Vec<_> = packets.each().filter_map(|packet| self.sent.remove(&packet.first)).collect();
        let largest = lost.last().expect("a packet is lost");
        let lost_bytes = packets.bytes as usize;
        if !congestion.in_congestion_recovery(largest.time_sent) {
            (congestion.cc_ops.checkpoint)(congestion);
        }
        (congestion.cc_ops.congestion_event)(congestion, self.bytes_in_flight, lost_bytes, largest, now);
        self.bytes_in_flight -= lost_bytes;
        congestion.lost_count += lost.len();
    }
}

impl Connection for Path {
    fn process(&mut self, event: &Event) -> std::result::Result<(), String> {
        let now = self.epoch + event.now;
        match &event.kind {
            Kind::Sent { packets, app_limited } => self.on_sent(packets, *app_limited, now),
            Kind::Ack(ack) => self.on_ack(ack, now),
            Kind::Lost { packets } => self.on_lost(packets, now),
            // No controller is told of an expired probe timer or of an idle period.
            Kind::Pto | Kind::IdleRestart => {}
            // By the transport parameters of the peer; and while PMTU discovery goes on.
            Kind::DatagramSize { max_datagram_size_bytes, handshake } => {
                let size = *max_datagram_size_bytes as usize;
                if *handshake {
                    self.recovery.update_max_datagram_size(size);
                } else {
                    self.recovery.pmtud_update_max_datagram_size(size);
                }
                self.max_datagram_size = if *handshake { size.min(self.max_datagram_size) } else { size };
            }
            Kind::SpuriousLoss => {
                (self.recovery.congestion.cc_ops.rollback)(&mut self.recovery.congestion);
            }
            Kind::Ce { .. } => return Err("quiche does not read ECN counters".into()),
            Kind::PersistentCongestion => return Err("quiche does not detect persistent congestion".into()),
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        let threshold = ssthresh(&self.recovery);
        Observed {
            cwnd_bytes: self.recovery.congestion.congestion_window() as u64,
            ssthresh_bytes: (threshold != usize::MAX).then_some(threshold as u64),
        }
    }
}

/// The threshold is private; quiche shows it only where it describes itself for the log.
fn ssthresh(recovery: &LegacyRecovery) -> usize {
    let text = format!("{recovery:?}");
    let value = text.split(" ssthresh=").nth(1).and_then(|rest| rest.split(' ').next());
    value.and_then(|digits| digits.parse().ok()).expect("quiche's description names the threshold")
}

/// A packet as quiche's `Connection::send_single` hands it to recovery.
fn in_flight(packet: Run, now: Instant) -> Sent {
    Sent {
        pkt_num: packet.first,
        frames: Default::default(),
        time_sent: now,
        time_acked: None,
        time_lost: None,
        size: packet.size_bytes as usize,
        ack_eliciting: true,
        in_flight: true,
        delivered: 0,
        delivered_time: now,
        first_sent_time: now,
        is_app_limited: false,
        tx_in_flight: 0,
        lost: 0,
        has_data: true,
        is_pmtud_probe: false,
    }
}

/// An entry of `newly_acked`, as `detect_and_remove_acked_packets` makes it.
fn acknowledged(sent: &Sent, now: Instant) -> Acked {
    Acked {
        pkt_num: sent.pkt_num,
        time_sent: sent.time_sent,
        size: sent.size,
        rtt: now.saturating_duration_since(sent.time_sent),
        delivered: sent.delivered,
        delivered_time: sent.delivered_time,
        first_sent_time: sent.first_sent_time,
        is_app_limited: sent.is_app_limited,
    }
}
