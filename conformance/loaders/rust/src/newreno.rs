//! A toy controller in the place of yours.

use crate::flat::Json;

/// A mistake, planted for the test.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake { None, AppLimitedGrows, StaysInRecovery }

/// RFC 9002, section 7 and appendix B.
pub struct NewReno {
    datagram: u64,
    cwnd: u64,
    configured: Option<u64>,
    path_start: u64,
    ssthresh: Option<u64>,
    recovery_start: u64,
    in_recovery: bool,
    mistake: Mistake,
}

fn initial_window(datagram: u64) -> u64 {
    (10 * datagram).min(14720.max(2 * datagram))
}

impl NewReno {
    pub fn new(case: &Json, mistake: Mistake) -> Self {
        let datagram = case.get("max_datagram_size_bytes").number();
        let configured = case.get("initial_window_bytes").number_or_none();
        let cwnd = configured.unwrap_or(initial_window(datagram));
        NewReno { datagram, cwnd, configured, path_start: 0, ssthresh: None, recovery_start: 0, in_recovery: false, mistake }
    }

    pub fn on_event(&mut self, event: &Json) -> [(&'static str, Json); 4] {
        let now = event.get("t_ns").number();
        match event.get("ev").text() {
            "ack" if event.find("not_in_flight") != Some(&Json::Bool(true)) => {
                let grows = self.mistake == Mistake::AppLimitedGrows || *event.get("app_limited") == Json::Bool(false);
                for [first, last, size, sent] in event.get("packets").runs() {
                    self.in_recovery &= sent <= self.recovery_start || self.mistake == Mistake::StaysInRecovery;
                    (first..=last).filter(|_| grows).for_each(|_| self.on_packet_acked(size, sent));
                }
            }
            // Ignore lost PMTU probes.
            "lost" if event.find("pmtu_probe") != Some(&Json::Bool(true)) => {
                let latest = event.get("packets").runs().map(|run| run[3]).max();
                self.on_congestion(latest.expect("a run"), now);
            }
            "ce" => self.on_congestion(event.get("sent_t_ns").number(), now),
            "persistent_congestion" => (self.cwnd, self.recovery_start, self.in_recovery) = (2 * self.datagram, 0, false),
            "path_change" => {
                (self.cwnd, self.ssthresh, self.recovery_start, self.in_recovery) = (self.configured.unwrap_or(initial_window(self.datagram)), None, 0, false);
                self.path_start = now;
            }
            "datagram_size" => {
                let size = event.get("max_datagram_size_bytes").number();
                if size < self.datagram && *event.get("handshake") == Json::Bool(true) {
                    self.cwnd = self.cwnd.min(initial_window(size));
                }
                self.datagram = size;
            }
            _ => {}
        }
        let number = |value: Option<u64>| value.map_or(Json::Null, Json::Number);
        let phase = if self.in_recovery { "recovery" } else if self.in_slow_start() { "slow_start" } else { "congestion_avoidance" };
        let recovery_start = Some(self.recovery_start).filter(|&start| start > 0);
        [
            ("cwnd_bytes", Json::Number(self.cwnd)), ("ssthresh_bytes", number(self.ssthresh)),
            ("phase", Json::Text(phase.into())), ("recovery_start_ns", number(recovery_start)),
        ]
    }

    fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|threshold| self.cwnd < threshold)
    }

    fn is_old(&self, sent: u64) -> bool {
        sent <= self.recovery_start.max(self.path_start)
    }

    fn on_packet_acked(&mut self, size: u64, sent: u64) {
        if !self.is_old(sent) {
            let growth = if self.in_slow_start() { size } else { self.datagram * size / self.cwnd };
            self.cwnd = (self.cwnd + growth).min((1 << 62) - 1);
        }
    }

    fn on_congestion(&mut self, sent: u64, now: u64) {
        if !self.is_old(sent) {
            self.recovery_start = now;
            self.in_recovery = true;
            self.ssthresh = Some(self.cwnd / 2);
            self.cwnd = (self.cwnd / 2).max(2 * self.datagram);
        }
    }
}
