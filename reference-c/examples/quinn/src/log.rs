//! The qlog of quinn, with a record of the application's inputs to the controller at the end of the handshake.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use quinn::{QlogConfig, QlogStream};

use crate::controller::Beginning;
use crate::start::NONE;

/// A file that quinn and this program write in turn.
#[derive(Clone)]
pub struct Log {
    file: Arc<Mutex<BufWriter<File>>>,
    epoch: Instant,
}

impl Log {
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Arc::new(Mutex::new(BufWriter::new(File::create(path)?))), epoch: Instant::now() })
    }

    /// Returns the stream for quinn's log.
    pub fn stream(&self) -> Option<QlogStream> {
        let mut qlog = QlogConfig::default();
        qlog.writer(Box::new(self.clone())).title(Some("quinn".into())).start_time(self.epoch);
        qlog.into_stream()
    }

    /// Writes the saved set and the backlog, in the format of `firstflight judge`, and the window after them.
    pub fn ready(&self, now: Instant, told: &Beginning, latest_rtt_ns: u64, window: u64) -> io::Result<()> {
        if told.saved_cwnd > 0 {
            let saved = format!(
                r#""ev":"saved_path","saved_cwnd_bytes":{},"saved_rtt_ns":{},"endpoint_matches":true,"in_use":false,"expires_t_ns":null,"max_jump_bytes":null,"beta_numerator":1,"beta_denominator":2"#,
                told.saved_cwnd,
                told.saved_rtt.as_nanos()
            );
            self.record(now, "firstflight:event", &saved)?;
        }
        let rtt = if latest_rtt_ns == NONE { "null".into() } else { latest_rtt_ns.to_string() };
        let backlog = format!(
            r#""ev":"backlog","queued_bytes":{},"receive_window_bytes":{},"latest_rtt_ns":{rtt}"#,
            told.queued_bytes, told.receive_window_bytes
        );
        self.record(now, "firstflight:event", &backlog)?;
        self.record(now, "recovery:metrics_updated", &format!(r#""congestion_window":{window}"#))
    }

    fn record(&self, now: Instant, name: &str, data: &str) -> io::Result<()> {
        let ms = now.duration_since(self.epoch).as_secs_f64() * 1000.0;
        let mut file = self.file.lock().expect("no thread panics with it");
        writeln!(file, "\u{1e}{{\"time\":{ms},\"name\":\"{name}\",\"data\":{{{data}}}}}")
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.lock().expect("no thread panics with it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.lock().expect("no thread panics with it").flush()
    }
}
