//! Items of the rest of the crate that quiche's recovery refers to. They do not affect congestion control.

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub enum Error {
    CongestionControl,
    OptimisticAckDetected,
}

/// The settings that `RecoveryConfig::from_config` reads. The adapter fills in a `RecoveryConfig` itself.
pub struct Config {
    pub initial_rtt: std::time::Duration,
    pub max_send_udp_payload_size: usize,
    pub cc_algorithm: crate::recovery::CongestionControlAlgorithm,
    pub custom_bbr_params: Option<crate::recovery::BbrParams>,
    pub hystart: bool,
    pub pacing: bool,
    pub max_pacing_rate: Option<u64>,
    pub initial_congestion_window_packets: usize,
    pub enable_relaxed_loss_threshold: bool,
    pub enable_cubic_idle_restart_fix: bool,
}

pub mod frame {
    #[derive(Clone, Debug)]
    pub enum Frame {
        DatagramHeader {},
    }
}

pub mod packet {
    use std::fmt;
    use std::ops::{Index, IndexMut};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Epoch {
        Initial,
        Handshake,
        Application,
    }

    impl Epoch {
        pub fn epochs(range: std::ops::RangeInclusive<Epoch>) -> &'static [Epoch] {
            &[Epoch::Initial, Epoch::Handshake, Epoch::Application][*range.start() as usize..=*range.end() as usize]
        }

        pub const fn count() -> usize {
            3
        }
    }

    impl fmt::Display for Epoch {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", *self as usize)
        }
    }

    impl<T> Index<Epoch> for [T] {
        type Output = T;

        fn index(&self, epoch: Epoch) -> &T {
            &self[epoch as usize]
        }
    }

    impl<T> IndexMut<Epoch> for [T] {
        fn index_mut(&mut self, epoch: Epoch) -> &mut T {
            &mut self[epoch as usize]
        }
    }
}
