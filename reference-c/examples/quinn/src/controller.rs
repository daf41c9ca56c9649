//! Plain headers behind quinn's `Controller`: translates quinn's calls into the calls of the headers.
//!
//! quinn passes send times and bytes, not packet numbers; for lost packets only the latest send time. So this module
//! numbers packets in the order of sending, and identifies them by their send time.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use quinn::congestion::{Controller, ControllerFactory, ControllerMetrics};
use quinn_proto::RttEstimator;

pub use crate::start::Algorithm;
use crate::start::{Ack, Lost, NONE, Packets, Ready, Sent, Start};

/// Times of the headers begin after 0.
const ORIGIN: Duration = Duration::from_secs(1);
const INITIAL_DATAGRAMS: u64 = 10;
/// Bytes of each datagram of quinn. The MTU is fixed here, since the headers support one datagram size.
pub const DATAGRAM_BYTES: u64 = 1200;

/// Window and RTT saved by an earlier connection to this endpoint, and the data that waits to be sent.
pub struct Beginning {
    pub saved_cwnd: u64,
    pub saved_rtt: Duration,
    pub queued_bytes: u64,
    pub receive_window_bytes: u64,
}

/// Packets sent by one call of quinn, in the order of sending; `acked` counts the acknowledged ones.
#[derive(Clone)]
struct Group {
    sent: Instant,
    first: u64,
    last: u64,
    acked: u64,
}

#[derive(Clone)]
struct State {
    start: Start,
    epoch: Instant,
    groups: VecDeque<Group>,
    next_packet: u64,
    bytes_in_flight: u64,
    /// Packets acknowledged by the ACK that quinn is reporting.
    acked: Vec<Packets>,
    /// The largest acknowledged packet number.
    newest_acked: Option<u64>,
    latest_rtt_ns: u64,
    least_rtt_ns: u64,
    /// Lost packets whose data quinn has not retransmitted yet. quinn sends it before any other data.
    to_resend: VecDeque<Packets>,
}

/// The controller of a connection, and the application's handle to pass it inputs that quinn's trait lacks.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<State>>);

impl Shared {
    fn new(algorithm: Algorithm, epoch: Instant) -> Self {
        Self(Arc::new(Mutex::new(State {
            start: Start::begin(algorithm, DATAGRAM_BYTES as u32, INITIAL_DATAGRAMS * DATAGRAM_BYTES),
            epoch,
            groups: VecDeque::new(),
            next_packet: 0,
            bytes_in_flight: 0,
            acked: Vec::new(),
            newest_acked: None,
            latest_rtt_ns: NONE,
            least_rtt_ns: NONE,
            to_resend: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics with it")
    }

    /// Call when the handshake is complete, before data is written. Returns the latest RTT sample and the new window.
    pub fn ready(&self, now: Instant, beginning: &Beginning) -> (u64, u64) {
        let mut state = self.state();
        let ready = Ready {
            now_ns: state.ns(now),
            queued_bytes: beginning.queued_bytes,
            receive_window_bytes: beginning.receive_window_bytes,
            latest_rtt_ns: state.latest_rtt_ns,
            saved_cwnd: beginning.saved_cwnd,
            saved_rtt_ns: beginning.saved_rtt.as_nanos() as u64,
        };
        state.start.on_ready(&ready);
        (state.latest_rtt_ns, state.start.window())
    }

    /// Returns the window and the least RTT, to be saved for the next connection.
    pub fn observed(&self) -> (u64, Duration) {
        let state = self.state();
        (state.start.window(), Duration::from_nanos(state.least_rtt_ns))
    }
}

impl State {
    fn ns(&self, at: Instant) -> u64 {
        (ORIGIN + at.duration_since(self.epoch)).as_nanos() as u64
    }

    fn sent(&mut self, now: Instant, bytes: u64) {
        let first = self.next_packet;
        self.next_packet += bytes.div_ceil(DATAGRAM_BYTES).max(1);
        self.bytes_in_flight += bytes;
        let last = self.next_packet - 1;
        self.groups.push_back(Group { sent: now, first, last, acked: 0 });
        let resent = self.resent(last - first + 1);
        let sent = Sent::new(self.ns(now), (first, last), bytes, self.bytes_in_flight, &resent);
        self.start.on_sent(&sent);
    }

    /// Returns the lost packets whose data the next `packets` packets carry again.
    fn resent(&mut self, mut packets: u64) -> Vec<Packets> {
        let mut found = Vec::new();
        while packets > 0 && found.len() < Start::RUNS {
            let Some(mut lost) = self.to_resend.pop_front() else { break };
            if lost.count() > packets {
                self.to_resend.push_front(Packets { first: lost.first + packets, ..lost });
                lost.last = lost.first + packets - 1;
            }
            packets -= lost.count();
            found.push(lost);
        }
        found
    }

    /// A packet with this send time was acknowledged: the next one of the packets that left together.
    fn acked(&mut self, sent: Instant, bytes: u64) {
        let from = self.groups.partition_point(|group| group.sent < sent);
        let mut alike = self.groups.range_mut(from..).take_while(|group| group.sent == sent);
        let Some(group) = alike.find(|group| group.first + group.acked <= group.last) else { return };
        let number = group.first + group.acked;
        group.acked += 1;
        let packet = Packets { first: number, last: number, sent_ns: self.ns(sent), size_bytes: bytes as u32 };
        match self.acked.last_mut() {
            Some(run) if run.is_continued_by(&packet) => run.last = number,
            _ => self.acked.push(packet),
        }
        while self.groups.front().is_some_and(|group| group.first + group.acked > group.last) {
            self.groups.pop_front();
        }
    }

    /// The ACK is complete. It has a sample if its last packet left after all previously acknowledged packets.
    fn ack_ends(&mut self, now: Instant, bytes_in_flight: u64, app_limited: bool) {
        self.bytes_in_flight = bytes_in_flight;
        let runs = std::mem::take(&mut self.acked);
        let sample = runs.last().filter(|newest| self.newest_acked.is_none_or(|before| newest.last > before));
        if let Some(newest) = sample {
            let rtt_ns = self.ns(now) - newest.sent_ns;
            self.newest_acked = Some(newest.last);
            self.latest_rtt_ns = rtt_ns;
            self.least_rtt_ns = self.least_rtt_ns.min(rtt_ns);
        }
        let mut parts = runs.chunks(Start::RUNS).peekable();
        while let Some(part) = parts.next() {
            let rtt_ns = if sample.is_some() && parts.peek().is_none() { self.latest_rtt_ns } else { NONE };
            let ack = Ack::new(self.ns(now), part, bytes_in_flight, rtt_ns, self.next_packet, app_limited);
            self.start.on_ack(&ack);
        }
    }

    fn lost(&mut self, now: Instant, sent: Instant, persistent: bool, bytes: u64) {
        self.bytes_in_flight = self.bytes_in_flight.saturating_sub(bytes);
        let last = self.groups.iter().rfind(|group| group.sent <= sent).map_or(0, |group| group.last);
        let packets = bytes.div_ceil(DATAGRAM_BYTES).max(1);
        let gone = Packets {
            first: (last + 1).saturating_sub(packets),
            last,
            sent_ns: self.ns(sent),
            size_bytes: DATAGRAM_BYTES as u32,
        };
        if bytes > 0 {
            self.to_resend.push_back(gone);
        }
        let lost = Lost::new(self.ns(now), self.bytes_in_flight, gone, bytes == 0, persistent);
        self.start.on_lost(&lost);
    }
}

impl Controller for Shared {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        self.state().sent(now, bytes);
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, _rtt: &RttEstimator) {
        self.state().acked(sent, bytes);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        self.state().ack_ends(now, in_flight, app_limited);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost_bytes: u64) {
        self.state().lost(now, sent, persistent, lost_bytes);
    }

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        self.state().start.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let state = self.state();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = state.start.window();
        metrics.ssthresh = Some(state.start.threshold());
        metrics
    }

    /// A new path begins with a copy, independent of the old path and of the application's handle.
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self(Arc::new(Mutex::new(self.state().clone()))))
    }

    fn initial_window(&self) -> u64 {
        INITIAL_DATAGRAMS * DATAGRAM_BYTES
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Builds the controller of one connection, and keeps a handle to it for the application.
pub struct Factory {
    pub algorithm: Algorithm,
    pub made: Mutex<Option<Shared>>,
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        let controller = Shared::new(self.algorithm, now);
        *self.made.lock().expect("no thread panics with it") = Some(controller.clone());
        Box::new(controller)
    }
}
