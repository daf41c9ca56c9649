//! Tests for s2n-quic-core that fail in 0.91.0, for the defects s2n-quic-1 and s2n-quic-2.

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use num_rational::Ratio;
    use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
    use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
    use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo, Publisher};
    use s2n_quic_core::recovery::{CongestionController, RttEstimator, cubic};
    use s2n_quic_core::{inet, packet::number::PacketNumberSpace, path, random, time::Timestamp};

    const SIZE: u32 = 1200;
    const RTT: Duration = Duration::from_millis(100);

    struct Ignore;

    impl Publisher for Ignore {
        fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
        fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
        fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: Ratio<u64>) {}
        fn on_bbr_state_changed(&mut self, _: BbrState) {}
    }

    struct NoRandom;

    impl random::Generator for NoRandom {
        fn public_random_fill(&mut self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
        fn private_random_fill(&mut self, bytes: &mut [u8]) {
            bytes.fill(0);
        }
    }

    fn at(ms: u64) -> Timestamp {
        // SAFETY: the test is the time source.
        unsafe { Timestamp::from_duration(Duration::from_millis(ms)) }
    }

    /// Loses a whole window with persistent congestion, then acknowledges full windows for some round trips.
    fn window_after(initial: u32, lost: u32, rounds: u64) -> u32 {
        let address = inet::SocketAddress::default();
        let mut path = PathInfo::new(&path::Config::default(), &address);
        path.max_datagram_size = SIZE as u16;
        let builder = cubic::builder::Builder::default().with_initial_congestion_window(initial);
        let mut control = builder.build().new_congestion_controller(path);
        let mut rtt = RttEstimator::default();
        rtt.update_rtt(Duration::ZERO, RTT, at(1000), true, PacketNumberSpace::ApplicationData);
        for _ in 0..lost {
            control.on_packet_sent(at(1000), SIZE as usize, Some(false), &rtt, &mut Ignore);
        }
        for _ in 0..lost {
            control.on_packet_lost(SIZE, (), true, false, &mut NoRandom, at(8000), &mut Ignore);
        }
        assert_eq!(control.congestion_window(), 2 * SIZE);
        for round in 0..rounds {
            let (sent, now) = (at(8000 + 100 * round), at(8100 + 100 * round));
            let packets = control.congestion_window() / SIZE;
            for _ in 0..packets {
                control.on_packet_sent(sent, SIZE as usize, Some(false), &rtt, &mut Ignore);
            }
            rtt.update_rtt(Duration::ZERO, RTT, now, true, PacketNumberSpace::ApplicationData);
            control.on_rtt_update(sent, now, &rtt, &mut Ignore);
            let acked = (packets * SIZE) as usize;
            control.on_ack(sent, acked, (), &rtt, &mut NoRandom, now, &mut Ignore);
        }
        control.congestion_window()
    }

    /// RFC 9002, section 7.6.2: the loss reduces ssthresh once, from 120000 to 84000 bytes. Slow start goes on to there:
    /// 2400, 4800, 9600, 19200, 38400.
    #[test]
    fn s2n_quic_1() {
        assert_eq!(window_after(120_000, 100, 4), 38_400);
    }

    /// RFC 9438, section 4.6: ssthresh is 8400 bytes after a window of 12000, so that slow start ends there.
    #[test]
    fn s2n_quic_2() {
        let window = window_after(12_000, 1, 4);
        assert!(window < 12_000, "the window is {window}");
    }
}
