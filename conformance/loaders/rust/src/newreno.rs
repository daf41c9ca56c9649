//! A toy controller in the place of yours.

use crate::flat::Json;

/// RFC 9002, section 7 and appendix B. `app_limited_grows` is a mistake, planted for the test.
pub struct NewReno {
    datagram: u64,
    cwnd: u64,
    ssthresh: Option<u64>,
    recovery_start: u64,
    app_limited_grows: bool,
}

impl NewReno {
    pub fn new(case: &Json, app_limited_grows: bool) -> Self {
        let datagram = case.get("max_datagram_size_bytes").number();
        let recommended = (10 * datagram).min(14720.max(2 * datagram));
        let cwnd = case.get("initial_window_bytes").number_or_none().unwrap_or(recommended);
        NewReno { datagram, cwnd, ssthresh: None, recovery_start: 0, app_limited_grows }
    }

    pub fn on_event(&mut self, event: &Json) -> [(&'static str, Json); 2] {
        let now = event.get("t_ns").number();
        match event.get("ev").text() {
            "ack" if self.app_limited_grows || *event.get("app_limited") == Json::Bool(false) => {
                for [first, last, size, sent] in event.get("packets").runs() {
                    (first..=last).for_each(|_| self.on_packet_acked(size, sent));
                }
            }
            "lost" => {
                let latest = event.get("packets").runs().map(|run| run[3]).max();
                self.on_congestion(latest.expect("a run"), now);
            }
            "ce" => self.on_congestion(event.get("sent_t_ns").number(), now),
            "persistent_congestion" => (self.cwnd, self.recovery_start) = (2 * self.datagram, 0),
            _ => {}
        }
        let ssthresh = self.ssthresh.map_or(Json::Null, Json::Number);
        [("cwnd_bytes", Json::Number(self.cwnd)), ("ssthresh_bytes", ssthresh)]
    }

    fn on_packet_acked(&mut self, size: u64, sent: u64) {
        if sent > self.recovery_start {
            let slow_start = self.ssthresh.is_none_or(|threshold| self.cwnd < threshold);
            let growth = if slow_start { size } else { self.datagram * size / self.cwnd };
            self.cwnd = (self.cwnd + growth).min((1 << 62) - 1);
        }
    }

    fn on_congestion(&mut self, sent: u64, now: u64) {
        if sent > self.recovery_start {
            self.recovery_start = now;
            self.ssthresh = Some(self.cwnd / 2);
            self.cwnd = (self.cwnd / 2).max(2 * self.datagram);
        }
    }
}
