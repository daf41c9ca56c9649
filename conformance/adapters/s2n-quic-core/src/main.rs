//! The CUBIC controller of s2n-quic-core, or with the argument `bbr` its BBR, behind the adapter protocol.
//!
//! The adapter calls the same function for an event as the stack's own recovery, in the same order. There is one call
//! per packet sent or lost, and one call for all packets that an ACK frame acknowledges.
//!
//! With the argument `hystartpp` slow start ends by HyStart++ instead of HyStart.

use std::collections::BTreeMap;
use std::time::Duration;

use firstflight_conversation::{Ack, Case, Connection, Declaration, Event, Kind, Observed, Packets, converse, pinned};
use num_rational::Ratio;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo, Publisher};
use s2n_quic_core::recovery::{CongestionController, RttEstimator, bbr, cubic};
use s2n_quic_core::transport::parameters::MaxAckDelay;
use s2n_quic_core::{inet, packet::number::PacketNumberSpace, path, random, time::Timestamp};

fn main() {
    let argument = std::env::args().nth(1);
    let (hystartpp, bbr) = (argument.as_deref() == Some("hystartpp"), argument.as_deref() == Some("bbr"));
    if hystartpp {
        // SAFETY: no other thread exists yet. The stack reads the variable once, when the first controller is created.
        unsafe { std::env::set_var("S2N_UNSTABLE_USE_HYSTART_PP", "1") };
    }
    let declaration = Declaration {
        name: match (hystartpp, bbr) {
            (true, _) => "s2n-quic-core cubic, HyStart++",
            (_, true) => "s2n-quic-core bbr",
            _ => "s2n-quic-core cubic",
        },
        version: pinned(include_str!("../Cargo.toml"), "s2n-quic-core"),
        algorithms: if hystartpp {
            &[("hystartpp", &["rfc-9406+cubic"])]
        } else if bbr {
            &[("bbr", &["draft-06"])]
        } else {
            &[("slow-start", &["rfc-9002"]), ("hystart", &["linux+cubic"]), ("cubic", &["rfc-9438"])]
        },
        // The threshold and the phase are private.
        ssthresh: false,
        // `Timestamp` counts microseconds.
        clock: "us",
        arithmetic: "float32",
        avoidance: "datagram",
        controller: if bbr { "newreno" } else { "cubic" },
        datagram_size: true,
    };
    if bbr {
        converse(&declaration, |case| Path::start(case, bbr_with));
    } else {
        converse(&declaration, |case| Path::start(case, cubic_with));
    }
}

fn cubic_with(window: Option<u32>) -> cubic::Endpoint {
    let builder = cubic::builder::Builder::default();
    window.map_or(builder, |window| cubic::builder::Builder::default().with_initial_congestion_window(window)).build()
}

fn bbr_with(window: Option<u32>) -> bbr::Endpoint {
    let builder = bbr::builder::Builder::default();
    window.map_or(builder, |window| bbr::builder::Builder::default().with_initial_congestion_window(window)).build()
}

/// The congestion control state of one path.
struct Path<C: CongestionController> {
    state: State<C>,
    ce_count: u64,
    /// The packets of the last event if it was a loss, with the state before it.
    last_loss: Option<(State<C>, Packets)>,
}

#[derive(Clone)]
struct State<C: CongestionController> {
    controller: C,
    /// The controller's state of each packet in flight.
    noted: BTreeMap<u64, C::PacketInfo>,
    rtt: RttEstimator,
}

impl<C: CongestionController> Path<C> {
    fn start<E: Endpoint<CongestionController = C>>(case: &Case, with: fn(Option<u32>) -> E) -> Result<Self, String> {
        let window = case.initial_window_bytes.map(u32::try_from).transpose();
        let window = window.map_err(|_| "the initial window is a u32")?;
        let address = inet::SocketAddress::default();
        let mut path = PathInfo::new(&path::Config::default(), &address);
        path.max_datagram_size = u16::try_from(case.max_datagram_size_bytes).expect("at most 65535");
        let mut rtt = RttEstimator::default();
        // A peer that sends no max_ack_delay has the default one.
        rtt.on_max_ack_delay(MaxAckDelay::default());
        let controller = with(window).new_congestion_controller(path);
        Ok(Self { state: State { controller, noted: BTreeMap::new(), rtt }, ce_count: 0, last_loss: None })
    }
}

impl<C: CongestionController> Connection for Path<C> {
    fn process(&mut self, event: &Event) -> Result<(), String> {
        let now = timestamp(event.now);
        let last_loss = self.last_loss.take();
        match &event.kind {
            Kind::Sent { packets, app_limited } => {
                if packets.bytes_in_flight > u32::MAX.into() {
                    return Err("the controller counts bytes in flight in 32 bits".into());
                }
                self.state.on_sent(packets, *app_limited, now);
            }
            Kind::Ack(ack) => self.state.on_ack(ack, now),
            Kind::Lost { packets } => {
                self.last_loss = Some((self.state.clone(), packets.clone()));
                self.state.on_lost(packets, now, false);
            }
            Kind::Ce { ce_count, .. } => {
                let marked = ce_count.saturating_sub(self.ce_count);
                self.state.controller.on_explicit_congestion(marked, now, &mut Ignore);
                self.ce_count = *ce_count;
            }
            // The stack learns of persistent congestion by an argument of the loss itself, the protocol by an event after the
            // loss. So the loss is taken back and reported again with that argument.
            Kind::PersistentCongestion => {
                let (before, packets) = last_loss.ok_or("the stack takes persistent congestion only with a loss")?;
                self.state = before;
                self.state.on_lost(&packets, now, true);
            }
            // The stack's recovery does not tell the controller.
            Kind::Pto | Kind::IdleRestart => {}
            // `path::mtu::Controller` tells it of each size, in the handshake as well.
            Kind::DatagramSize { max_datagram_size_bytes, .. } => {
                let size = u16::try_from(*max_datagram_size_bytes).expect("at most 65535");
                self.state.controller.on_mtu_update(size, &mut Ignore);
            }
            Kind::SpuriousLoss => return Err("the stack does not detect spurious loss".into()),
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        Observed { cwnd_bytes: self.state.controller.congestion_window().into(), ssthresh_bytes: None }
    }
}

impl<C: CongestionController> State<C> {
    fn on_sent(&mut self, packets: &Packets, app_limited: bool, now: Timestamp) {
        for packet in packets.each() {
            let size = packet.size_bytes as usize;
            let noted = self.controller.on_packet_sent(now, size, Some(app_limited), &self.rtt, &mut Ignore);
            self.noted.insert(packet.first, noted);
        }
    }

    fn on_ack(&mut self, ack: &Ack, now: Timestamp) {
        let sent = timestamp(ack.packets.newest().sent);
        if let Some(sample) = ack.latest_rtt {
            self.rtt.update_rtt(ack.ack_delay, sample, now, true, PacketNumberSpace::ApplicationData);
            self.controller.on_rtt_update(sent, now, &self.rtt, &mut Ignore);
        }
        let acked = ack.packets.bytes as usize;
        let newest = self.noted[&ack.packets.newest().last];
        for packet in ack.packets.each() {
            self.noted.remove(&packet.first);
        }
        self.controller.on_ack(sent, acked, newest, &self.rtt, &mut NoRandom, now, &mut Ignore);
    }

    fn on_lost(&mut self, packets: &Packets, now: Timestamp, persistent: bool) {
        let mut previous = None;
        for packet in packets.each() {
            let new_burst = previous.is_none_or(|previous| previous + 1 != packet.first);
            let size = packet.size_bytes as u32;
            let noted = self.noted.remove(&packet.first).expect("a packet that was sent");
            self.controller.on_packet_lost(size, noted, persistent, new_burst, &mut NoRandom, now, &mut Ignore);
            previous = Some(packet.first);
        }
        if persistent {
            self.rtt.on_persistent_congestion();
        }
    }
}

/// The controller reports to a publisher; nothing of that is an observable.
struct Ignore;

impl Publisher for Ignore {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}

/// CUBIC draws no random numbers, BBR only after Drain.
struct NoRandom;

impl random::Generator for NoRandom {
    fn public_random_fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
    fn private_random_fill(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

fn timestamp(since_start: Duration) -> Timestamp {
    // SAFETY: reserved for time sources; here the vector is the time source.
    unsafe { Timestamp::from_duration(since_start) }
}
