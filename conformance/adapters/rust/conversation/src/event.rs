//! The events of `spec/events.md` as an adapter meets them.

use std::time::Duration;

use serde_json::Value;

/// One event, at a time of the sender's clock.
pub struct Event {
    pub now: Duration,
    pub kind: Kind,
}

/// The kinds of event that stacks have functions for.
pub enum Kind {
    Sent {
        packets: Packets,
        app_limited: bool,
    },
    Ack(Ack),
    Lost {
        packets: Packets,
    },
    Ce {
        packet: u64,
        sent: Duration,
        ce_count: u64,
    },
    PersistentCongestion,
    Pto,
    SpuriousLoss,
    /// The connection was idle. No stack has a function for it: those that reduce a window notice it themselves when they send.
    IdleRestart,
    /// `handshake`: changed in order to complete the handshake.
    DatagramSize {
        max_datagram_size_bytes: u64,
        handshake: bool,
    },
    Other(String),
}

/// The newly acknowledged packets of one ACK frame.
pub struct Ack {
    pub packets: Packets,
    pub app_limited: bool,
    pub ack_delay: Duration,
    /// `None`: the frame gave no RTT sample.
    pub latest_rtt: Option<Duration>,
    /// `None` before the first sample, as the next.
    pub min_rtt: Option<Duration>,
    pub smoothed_rtt: Option<Duration>,
}

/// The packets of an event.
#[derive(Clone)]
pub struct Packets {
    pub runs: Vec<Run>,
    pub bytes: u64,
    /// After the event.
    pub bytes_in_flight: u64,
}

/// Consecutive packets of one size that were sent at one time.
#[derive(Clone, Copy)]
pub struct Run {
    pub first: u64,
    pub last: u64,
    pub size_bytes: u64,
    pub sent: Duration,
}

impl Packets {
    /// The packets one by one, each as a run of its own.
    pub fn each(&self) -> impl Iterator<Item = Run> {
        self.runs
            .iter()
            .flat_map(|&run| (run.first..=run.last).map(move |number| Run { first: number, last: number, ..run }))
    }

    /// The run that holds the largest packet number.
    pub fn newest(&self) -> &Run {
        self.runs.last().expect("an event has packets")
    }
}

impl Event {
    pub(crate) fn read(event: &Value) -> Self {
        let now = time(event, "t_ns");
        let kind = match text(event, "ev") {
            "sent" => Kind::Sent { packets: packets(event, now), app_limited: flag(event, "app_limited") },
            "ack" => Kind::Ack(Ack {
                packets: packets(event, now),
                app_limited: flag(event, "app_limited"),
                ack_delay: time(event, "ack_delay_ns"),
                latest_rtt: number_or_none(event, "latest_rtt_ns").map(Duration::from_nanos),
                min_rtt: number_or_none(event, "min_rtt_ns").map(Duration::from_nanos),
                smoothed_rtt: number_or_none(event, "smoothed_rtt_ns").map(Duration::from_nanos),
            }),
            "lost" => Kind::Lost { packets: packets(event, now) },
            "ce" => Kind::Ce {
                packet: number(event, "packet"),
                sent: time(event, "sent_t_ns"),
                ce_count: number(event, "ce_count"),
            },
            "persistent_congestion" => Kind::PersistentCongestion,
            "pto" => Kind::Pto,
            "spurious_loss" => Kind::SpuriousLoss,
            "idle_restart" => Kind::IdleRestart,
            "datagram_size" => Kind::DatagramSize {
                max_datagram_size_bytes: number(event, "max_datagram_size_bytes"),
                handshake: flag(event, "handshake"),
            },
            other => Kind::Other(other.into()),
        };
        Self { now, kind }
    }
}

/// The runs of a `sent` event do not repeat its time.
fn packets(event: &Value, now: Duration) -> Packets {
    let runs = event["packets"].as_array().expect("packets is a list");
    let run = |run: &Value| Run {
        first: integer(&run[0]),
        last: integer(&run[1]),
        size_bytes: integer(&run[2]),
        sent: run.get(3).map_or(now, |sent| Duration::from_nanos(integer(sent))),
    };
    Packets {
        runs: runs.iter().map(run).collect(),
        bytes: number(event, "bytes"),
        bytes_in_flight: number(event, "bytes_in_flight"),
    }
}

pub(crate) fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_else(|| panic!("{key}: a string is needed"))
}

fn flag(object: &Value, key: &str) -> bool {
    object[key].as_bool().unwrap_or_else(|| panic!("{key}: true or false is needed"))
}

fn time(object: &Value, key: &str) -> Duration {
    Duration::from_nanos(number(object, key))
}

pub(crate) fn number(object: &Value, key: &str) -> u64 {
    integer(&object[key])
}

pub(crate) fn number_or_none(object: &Value, key: &str) -> Option<u64> {
    (!object[key].is_null()).then(|| number(object, key))
}

/// Numbers from 2^53 on are decimal strings.
fn integer(value: &Value) -> u64 {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
    number.unwrap_or_else(|| panic!("{value} is no number"))
}
