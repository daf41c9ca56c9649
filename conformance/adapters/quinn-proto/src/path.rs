//! A path of quinn-proto, or of its fork noq-proto, behind the adapter protocol. Each crate root has a module `stack` with
//! the calls that differ.
//!
//! The controllers are called as `Connection` (connection/mod.rs) calls them, in its order: the acknowledged packets of
//! a frame before its RTT sample. The RTT values of the vector follow RFC 9002, like the estimator of the stack.

use std::time::{Duration, Instant};

use firstflight_conversation::{Ack, Case, Connection, Event, Kind, Observed, Packets};

use crate::congestion::Controller;
use crate::connection::RttEstimator;
use crate::stack;

/// Items that the controllers import from the module `connection` of their crate.
pub mod connection {
    use std::time::Duration;

    #[derive(Debug, Clone, Copy)]
    pub struct RttEstimator {
        pub smoothed: Duration,
        pub min: Duration,
    }

    impl RttEstimator {
        pub fn get(&self) -> Duration {
            self.smoothed
        }

        pub fn min(&self) -> Duration {
            self.min
        }
    }
}

/// Default of `TransportConfig`.
const INITIAL_RTT: Duration = Duration::from_millis(333);

pub struct Path {
    controller: Box<dyn Controller>,
    rtt: RttEstimator,
    /// Whether the estimator has the handshake's RTT sample.
    measured: bool,
    /// Whether the last attempt to send ended for want of data.
    app_limited: bool,
    ce_count: u64,
    largest_acked_packet: u64,
    /// The packets of the last event if it was a loss, with the controller before it.
    last_loss: Option<(Box<dyn Controller>, Packets)>,
    epoch: Instant,
}

impl Path {
    pub fn start(case: &Case) -> Result<Self, String> {
        let epoch = Instant::now();
        let max_datagram_size = u16::try_from(case.max_datagram_size_bytes).expect("at most 65535");
        Ok(Self {
            controller: stack::factory(case).build(epoch, max_datagram_size),
            rtt: RttEstimator { smoothed: INITIAL_RTT, min: INITIAL_RTT },
            measured: false,
            app_limited: false,
            ce_count: 0,
            largest_acked_packet: 0,
            last_loss: None,
            epoch,
        })
    }

    /// `Connection::on_ack_received`. A connection has the RTT sample of its handshake before the first ACK of application
    /// data. The path has one RTT until then, so the sample of the handshake is the first sample of the case.
    fn on_ack(&mut self, ack: &Ack, now: Instant) {
        if let Some(sample) = ack.latest_rtt.filter(|_| !self.measured) {
            self.measured = true;
            self.rtt = RttEstimator { smoothed: sample, min: sample };
        }
        for packet in ack.packets.each() {
            let sent = self.epoch + packet.sent;
            stack::on_ack(&mut *self.controller, &packet, (now, sent), self.app_limited, &self.rtt);
        }
        self.largest_acked_packet = self.largest_acked_packet.max(ack.packets.newest().last);
        let largest = Some(self.largest_acked_packet);
        self.controller.on_end_acks(now, ack.packets.bytes_in_flight, self.app_limited, largest);
        if let (Some(smoothed), Some(min)) = (ack.smoothed_rtt, ack.min_rtt) {
            self.rtt = RttEstimator { smoothed, min };
        }
    }

    /// `Connection::detect_lost_packets` from the place where the lost packets are known.
    fn on_lost(&mut self, packets: &Packets, now: Instant, persistent: bool) {
        let sent = self.epoch + packets.newest().sent;
        stack::on_lost(&mut *self.controller, packets, (now, sent), persistent);
    }
}

impl Connection for Path {
    fn process(&mut self, event: &Event) -> Result<(), String> {
        let now = self.epoch + event.now;
        let last_loss = self.last_loss.take();
        match &event.kind {
            Kind::Sent { packets, app_limited } => {
                self.controller.on_sent(now, packets.bytes, packets.newest().last);
                self.app_limited = *app_limited;
            }
            Kind::Ack(ack) => self.on_ack(ack, now),
            Kind::Lost { packets } => {
                self.last_loss = Some((self.controller.clone_box(), packets.clone()));
                self.on_lost(packets, now, false);
            }
            Kind::Ce { packet, sent, ce_count } => {
                if *ce_count > self.ce_count {
                    self.ce_count = *ce_count;
                    stack::on_ce(&mut *self.controller, *packet, (now, self.epoch + *sent));
                }
            }
            // The stack learns of persistent congestion by an argument of the loss itself, the protocol by an event after the
            // loss. So the loss is taken back and reported again with that argument.
            Kind::PersistentCongestion => {
                let (before, packets) = last_loss.ok_or("the stack takes persistent congestion only with a loss")?;
                self.controller = before;
                self.on_lost(&packets, now, true);
            }
            // The controller is not told of an expired probe timer or of an idle period.
            Kind::Pto | Kind::IdleRestart => {}
            // A PMTU probe was acknowledged, or a black hole detected, which may be in the handshake.
            Kind::DatagramSize { max_datagram_size_bytes, .. } => {
                self.controller.on_mtu_update(u16::try_from(*max_datagram_size_bytes).expect("at most 65535"));
            }
            Kind::SpuriousLoss => stack::on_spurious_loss(&mut *self.controller)?,
            Kind::Other(kind) => return Err(format!("no function for the event {kind}")),
        }
        Ok(())
    }

    fn observe(&self) -> Observed {
        let metrics = self.controller.metrics();
        Observed {
            cwnd_bytes: metrics.congestion_window,
            ssthresh_bytes: metrics.ssthresh.filter(|&threshold| threshold != u64::MAX),
        }
    }
}
