//! Items of the rest of the crate that tquic's controllers refer to, with the values of tquic's lib.rs.

use std::time::Duration;

use crate::congestion_control::{COPA_DELTA, CongestionControlAlgorithm};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub enum Error {
    InvalidConfig(String),
}

pub const DEFAULT_SEND_UDP_PAYLOAD_SIZE: usize = 1200;
pub const TIMER_GRANULARITY: Duration = Duration::from_millis(1);
pub const INITIAL_RTT: Duration = Duration::from_millis(333);

/// The settings that the controllers read. Windows are counted in packets.
pub struct RecoveryConfig {
    pub max_datagram_size: usize,
    pub congestion_control_algorithm: CongestionControlAlgorithm,
    pub min_congestion_window: u64,
    pub initial_congestion_window: u64,
    pub slow_start_thresh: u64,
    pub bbr_probe_rtt_duration: Duration,
    pub bbr_probe_rtt_based_on_bdp: bool,
    pub bbr_probe_rtt_cwnd_gain: f64,
    pub bbr_rtprop_filter_len: Duration,
    pub bbr_probe_bw_cwnd_gain: f64,
    pub copa_slow_start_delta: f64,
    pub copa_steady_delta: f64,
    pub copa_use_standing_rtt: bool,
    pub initial_rtt: Duration,
    pub enable_pacing: bool,
    pub pacing_granularity: Duration,
}

impl Default for RecoveryConfig {
    fn default() -> Self {
        Self {
            max_datagram_size: DEFAULT_SEND_UDP_PAYLOAD_SIZE,
            congestion_control_algorithm: CongestionControlAlgorithm::Cubic,
            min_congestion_window: 2,
            initial_congestion_window: 10,
            slow_start_thresh: u64::MAX,
            bbr_probe_rtt_duration: Duration::from_millis(200),
            bbr_probe_rtt_based_on_bdp: false,
            bbr_probe_rtt_cwnd_gain: 0.75,
            bbr_rtprop_filter_len: Duration::from_secs(10),
            bbr_probe_bw_cwnd_gain: 2.0,
            copa_slow_start_delta: COPA_DELTA,
            copa_steady_delta: COPA_DELTA,
            copa_use_standing_rtt: true,
            initial_rtt: INITIAL_RTT,
            enable_pacing: true,
            pacing_granularity: Duration::from_millis(1),
        }
    }
}

pub mod space {
    use std::time::{Duration, Instant};

    /// State of a packet for the delivery-rate estimator of BBR.
    #[derive(Debug, Default, Clone)]
    pub struct RateSamplePacketState {
        pub delivered: u64,
        pub delivered_time: Option<Instant>,
        pub first_sent_time: Option<Instant>,
        pub is_app_limited: bool,
        pub tx_in_flight: u64,
        pub lost: u64,
    }

    #[derive(Clone)]
    pub struct SentPacket {
        pub pkt_num: u64,
        pub time_sent: Instant,
        pub time_acked: Option<Instant>,
        pub sent_size: usize,
        pub rate_sample_state: RateSamplePacketState,
    }

    pub struct AckedPacket {
        pub pkt_num: u64,
        pub time_sent: Instant,
        pub rtt: Duration,
    }
}
