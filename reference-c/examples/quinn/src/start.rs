//! `src/start/start.h` in Rust: the state is the bytes of its struct.

/// No threshold, no RTT sample.
pub const NONE: u64 = u64::MAX;

/// In the order of the table in start.c.
#[derive(Clone, Copy)]
pub enum Algorithm {
    SlowStart,
    Search,
    Hystartpp,
    CarefulResume,
    Jumpstart,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Packets {
    pub first: u64,
    pub last: u64,
    pub sent_ns: u64,
    pub size_bytes: u32,
}

impl Packets {
    pub fn count(&self) -> u64 {
        self.last - self.first + 1
    }

    pub fn is_continued_by(&self, next: &Self) -> bool {
        (self.last + 1, self.sent_ns, self.size_bytes) == (next.first, next.sent_ns, next.size_bytes)
    }
}

#[repr(C)]
pub struct Ack {
    now_ns: u64,
    bytes: u64,
    bytes_in_flight: u64,
    rtt_ns: u64,
    next_packet: u64,
    runs: *const Packets,
    run_count: u32,
    app_limited: i32,
}

impl Ack {
    pub fn new(
        now_ns: u64,
        runs: &[Packets],
        in_flight: u64,
        rtt_ns: u64,
        next_packet: u64,
        app_limited: bool,
    ) -> Self {
        let bytes = runs.iter().map(|run| run.count() * u64::from(run.size_bytes)).sum();
        let (first, count) = (runs.as_ptr(), runs.len() as u32);
        Self {
            now_ns,
            bytes,
            bytes_in_flight: in_flight,
            rtt_ns,
            next_packet,
            runs: first,
            run_count: count,
            app_limited: app_limited.into(),
        }
    }
}

#[repr(C)]
pub struct Sent {
    now_ns: u64,
    first: u64,
    last: u64,
    bytes: u64,
    bytes_in_flight: u64,
    resent: *const Packets,
    resent_count: u32,
}

impl Sent {
    pub fn new(now_ns: u64, (first, last): (u64, u64), bytes: u64, bytes_in_flight: u64, resent: &[Packets]) -> Self {
        Self { now_ns, first, last, bytes, bytes_in_flight, resent: resent.as_ptr(), resent_count: resent.len() as u32 }
    }
}

#[repr(C)]
pub struct Lost {
    now_ns: u64,
    sent_ns: u64,
    bytes_in_flight: u64,
    packets: Packets,
    marked: i32,
    persistent: i32,
}

impl Lost {
    pub fn new(now_ns: u64, bytes_in_flight: u64, packets: Packets, marked: bool, persistent: bool) -> Self {
        let sent_ns = packets.sent_ns;
        Self { now_ns, sent_ns, bytes_in_flight, packets, marked: marked.into(), persistent: persistent.into() }
    }
}

#[repr(C)]
pub struct Ready {
    pub now_ns: u64,
    pub queued_bytes: u64,
    pub receive_window_bytes: u64,
    pub latest_rtt_ns: u64,
    pub saved_cwnd: u64,
    pub saved_rtt_ns: u64,
}

unsafe extern "C" {
    fn start_size() -> u64;
    fn start_begin(start: *mut u64, algorithm: i32, datagram_bytes: u32, initial_window: u64);
    fn start_on_sent(start: *mut u64, sent: *const Sent);
    fn start_on_ack(start: *mut u64, ack: *const Ack);
    fn start_on_lost(start: *mut u64, lost: *const Lost);
    fn start_on_ready(start: *mut u64, ready: *const Ready);
    fn start_window(start: *const u64) -> u64;
    fn start_threshold(start: *const u64) -> u64;
}

/// A startup algorithm on NewReno. Each method calls one C function; pointers are valid for the duration of the call.
#[derive(Clone)]
pub struct Start(Vec<u64>);

impl Start {
    /// The maximum number of runs in an ACK, and among packets sent again (`START_RUNS`).
    pub const RUNS: usize = 64;

    pub fn begin(algorithm: Algorithm, datagram_bytes: u32, initial_window: u64) -> Self {
        let words = unsafe { start_size() }.div_ceil(8);
        let mut start = Self(vec![0; words as usize]);
        unsafe { start_begin(start.0.as_mut_ptr(), algorithm as i32, datagram_bytes, initial_window) };
        start
    }

    pub fn on_sent(&mut self, sent: &Sent) {
        unsafe { start_on_sent(self.0.as_mut_ptr(), sent) }
    }

    pub fn on_ack(&mut self, ack: &Ack) {
        unsafe { start_on_ack(self.0.as_mut_ptr(), ack) }
    }

    pub fn on_lost(&mut self, lost: &Lost) {
        unsafe { start_on_lost(self.0.as_mut_ptr(), lost) }
    }

    pub fn on_ready(&mut self, ready: &Ready) {
        unsafe { start_on_ready(self.0.as_mut_ptr(), ready) }
    }

    pub fn window(&self) -> u64 {
        unsafe { start_window(self.0.as_ptr()) }
    }

    pub fn threshold(&self) -> u64 {
        unsafe { start_threshold(self.0.as_ptr()) }
    }
}
