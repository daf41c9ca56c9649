//! Tests for quinn-proto that fail in 0.11.19, for the defects quinn-2 and quinn-3.

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use quinn_proto::congestion::{Controller, ControllerFactory, NewRenoConfig};

    fn new_reno(now: Instant, mtu: u16) -> Box<dyn Controller> {
        Arc::new(NewRenoConfig::default()).build(now, mtu)
    }

    /// RFC 9002, section 7.2: ten datagrams of the size in use, at most 14720 bytes or two datagrams.
    #[test]
    fn quinn_2() {
        for (mtu, window) in [(1200, 12000), (1500, 14720), (9000, 18000)] {
            assert_eq!(new_reno(Instant::now(), mtu).window(), window, "with datagrams of {mtu} bytes");
        }
    }

    /// RFC 9002, appendix B.8: persistent congestion ends the recovery period, so that the loss of an older packet
    /// reduces again.
    #[test]
    fn quinn_3() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut control = new_reno(start, 1200);
        control.on_congestion_event(at(400), at(1), true, 1200);
        assert_eq!(control.window(), 2400);
        assert_eq!(control.metrics().ssthresh, Some(6000));
        control.on_congestion_event(at(450), at(2), false, 1200);
        assert!(control.metrics().ssthresh <= Some(2400), "ssthresh is {:?}", control.metrics().ssthresh);
    }
}
