//! quiche's BBR behind the adapter protocol. It is compiled as a module of `recovery`, because the controller is
//! visible only there.
//!
//! The adapter calls the controller in the same order as `GRecovery` (recovery/gcongestion/recovery.rs). Its loss
//! detector is omitted, because the vectors report losses. An ACK is one call, and a loss another, as when the timer of
//! the detector expires.

use std::time::{Duration, Instant};

use super::gcongestion::{Acked, BBRv2, CongestionControl, Lost};
use super::{RecoveryStats, RttStats};

/// The largest window that quiche's `GRecovery` sets, in packets.
const MAX_WINDOW_PACKETS: usize = 20000;

pub(crate) struct Bbr {
    controller: BBRv2,
    rtt: RttStats,
    stats: RecoveryStats,
    bytes_in_flight: usize,
}

impl Bbr {
    pub(crate) fn new(window_packets: usize, datagram: usize, initial_rtt: Duration, max_ack_delay: Duration) -> Self {
        Self {
            controller: BBRv2::new(window_packets, MAX_WINDOW_PACKETS, datagram, initial_rtt, None),
            rtt: RttStats::new(initial_rtt, max_ack_delay),
            stats: RecoveryStats::default(),
            bytes_in_flight: 0,
        }
    }

    pub(crate) fn on_sent(&mut self, packet: u64, size: usize, now: Instant) {
        self.controller.on_packet_sent(now, self.bytes_in_flight, packet, size, true);
        self.bytes_in_flight += size;
    }

    pub(crate) fn on_app_limited(&mut self) {
        self.controller.on_app_limited(self.bytes_in_flight);
    }

    /// Notify the controller of acknowledged packets with their sending times, or of lost packets with their sizes.
    pub(crate) fn on_event(
        &mut self,
        acked: &[(u64, Instant)],
        lost: &[(u64, usize)],
        bytes: usize,
        least: u64,
        now: Instant,
    ) {
        let before = self.bytes_in_flight;
        self.bytes_in_flight -= bytes;
        let acked: Vec<_> = acked.iter().map(|&(pkt_num, time_sent)| Acked { pkt_num, time_sent }).collect();
        let lost: Vec<_> = lost.iter().map(|&(packet_number, bytes_lost)| Lost { packet_number, bytes_lost }).collect();
        let (controller, after, updated) = (&mut self.controller, self.bytes_in_flight, !acked.is_empty());
        controller.on_congestion_event(updated, before, after, now, &acked, &lost, least, &self.rtt, &mut self.stats);
    }

    pub(crate) fn window(&self) -> usize {
        self.controller.get_congestion_window()
    }
}
