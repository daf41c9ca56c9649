//! Both ends of an upload with quinn and a plain header of Firstflight as controller, on loopback, with a time limit:
//!
//!     quinn serve SECONDS CERTIFICATE KEY                                       receives uploads; prints `ready PORT`
//!     quinn send PORT ALGORITHM BYTES QLOG SECONDS CERTIFICATE SAVED  uploads; prints the time, the window and the least RTT
//!
//! ALGORITHM: slow-start, search, hystartpp, careful-resume or jumpstart. CERTIFICATE and KEY are in DER. SAVED has the
//! saved set: a first connection with careful-resume writes it, a second resumes from it. Other algorithms ignore it.

mod controller;
mod log;
mod start;

use std::error::Error;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quinn::crypto::rustls::QuicClientConfig;
use quinn::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use quinn::rustls::{ClientConfig as Secrets, RootCertStore, ServerConfig as ServerSecrets};
use quinn::{ClientConfig, Endpoint, Incoming, ServerConfig, TransportConfig, VarInt};

use controller::{Algorithm, Beginning, DATAGRAM_BYTES, Factory};
use log::Log;

type Outcome<T> = Result<T, Box<dyn Error>>;

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
const PROTOCOL: &[u8] = b"firstflight";
/// The receiver's limit, larger than any upload: quinn does not pass the limit to its controllers.
const RECEIVE_WINDOW_BYTES: u32 = 1 << 28;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // One thread, so that the records of quinn and of this program are not interleaved in the log.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match words[..] {
        ["serve", seconds, certificate, key] => {
            let bound = Duration::from_secs(seconds.parse()?);
            runtime.block_on(async { tokio::time::timeout(bound, serve(certificate, key)).await }).unwrap_or(Ok(()))
        }
        ["send", port, algorithm, size_bytes, qlog, seconds, certificate, saved] => {
            let bound = Duration::from_secs(seconds.parse()?);
            let upload = Upload { port: port.parse()?, algorithm: named(algorithm)?, size_bytes: size_bytes.parse()? };
            let sending = upload.send(Path::new(qlog), certificate, Path::new(saved));
            runtime.block_on(async { tokio::time::timeout(bound, sending).await })?
        }
        _ => {
            Err("usage: quinn serve SECONDS CERTIFICATE KEY | send PORT ALGORITHM BYTES QLOG SECONDS CERTIFICATE SAVED"
                .into())
        }
    }
}

fn named(algorithm: &str) -> Outcome<Algorithm> {
    Ok(match algorithm {
        "slow-start" => Algorithm::SlowStart,
        "search" => Algorithm::Search,
        "hystartpp" => Algorithm::Hystartpp,
        "careful-resume" => Algorithm::CarefulResume,
        "jumpstart" => Algorithm::Jumpstart,
        _ => return Err(format!("{algorithm}: no such algorithm").into()),
    })
}

struct Upload {
    port: u16,
    algorithm: Algorithm,
    size_bytes: u64,
}

impl Upload {
    /// Uploads and waits until the receiver has everything.
    async fn send(self, qlog: &Path, certificate: &str, saved: &Path) -> Outcome<()> {
        let log = Log::create(qlog)?;
        let factory = Arc::new(Factory { algorithm: self.algorithm, made: Mutex::new(None) });
        let endpoint = Endpoint::client((LOOPBACK, 0).into())?;
        let config = configuration(certificate, factory.clone(), &log)?;
        let connection = endpoint.connect_with(config, (LOOPBACK, self.port).into(), &LOOPBACK.to_string())?.await?;
        let controller =
            factory.made.lock().expect("no thread panics with it").clone().ok_or("quinn made no controller")?;

        // The handshake is complete: the application passes the inputs that quinn's trait lacks.
        let (saved_cwnd, saved_rtt) = match self.algorithm {
            Algorithm::CarefulResume => restored(saved).unwrap_or_default(),
            _ => Default::default(),
        };
        let beginning = Beginning {
            saved_cwnd,
            saved_rtt,
            queued_bytes: self.size_bytes,
            receive_window_bytes: RECEIVE_WINDOW_BYTES.into(),
        };
        let began = Instant::now();
        let (latest_rtt_ns, window) = controller.ready(began, &beginning);
        if matches!(self.algorithm, Algorithm::CarefulResume | Algorithm::Jumpstart) {
            log.ready(began, &beginning, latest_rtt_ns, window)?;
        }

        let (mut sending, mut receiving) = connection.open_bi().await?;
        sending.write_all(&vec![0; self.size_bytes as usize]).await?;
        sending.finish()?;
        receiving.read_to_end(0).await?;
        let took = began.elapsed();
        let (cwnd, min_rtt) = controller.observed();
        if matches!(self.algorithm, Algorithm::CarefulResume) {
            std::fs::write(saved, format!("{cwnd} {}\n", min_rtt.as_nanos()))?;
        }
        connection.close(0u32.into(), b"");
        endpoint.wait_idle().await;
        println!("{} {cwnd} {}", took.as_nanos(), min_rtt.as_nanos());
        Ok(())
    }
}

/// Returns the window and the RTT that an earlier connection left. The application checks endpoint and age:
/// RFC 9959 has a Lifetime, and one use at a time.
fn restored(saved: &Path) -> Option<(u64, Duration)> {
    let text = std::fs::read_to_string(saved).ok()?;
    let (cwnd, rtt_ns) = text.trim().split_once(' ')?;
    Some((cwnd.parse().ok()?, Duration::from_nanos(rtt_ns.parse().ok()?)))
}

/// Returns the configuration of a client: trust in this certificate only, the controller, and the log.
fn configuration(certificate: &str, factory: Arc<Factory>, log: &Log) -> Outcome<ClientConfig> {
    let mut trusted = RootCertStore::empty();
    trusted.add(CertificateDer::from(std::fs::read(certificate)?))?;
    let mut secrets = Secrets::builder().with_root_certificates(trusted).with_no_client_auth();
    secrets.alpn_protocols = vec![PROTOCOL.to_vec()];

    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(factory);
    transport.initial_mtu(DATAGRAM_BYTES as u16).mtu_discovery_config(None); // the headers have one size of datagrams
    transport.send_window(RECEIVE_WINDOW_BYTES.into());
    transport.qlog_stream(log.stream());

    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(secrets)?));
    config.transport_config(Arc::new(transport));
    Ok(config)
}

/// Receives uploads one after the other, and ends each stream after its sender.
async fn serve(certificate: &str, key: &str) -> Outcome<()> {
    let chain = vec![CertificateDer::from(std::fs::read(certificate)?)];
    let key = PrivateKeyDer::try_from(std::fs::read(key)?)?;
    let mut secrets = ServerSecrets::builder().with_no_client_auth().with_single_cert(chain, key)?;
    secrets.alpn_protocols = vec![PROTOCOL.to_vec()];
    let mut config = ServerConfig::with_crypto(Arc::new(quinn::crypto::rustls::QuicServerConfig::try_from(secrets)?));
    let mut transport = TransportConfig::default();
    let window = VarInt::from_u32(RECEIVE_WINDOW_BYTES);
    transport.stream_receive_window(window).receive_window(window);
    config.transport_config(Arc::new(transport));

    let endpoint = Endpoint::server(config, (LOOPBACK, 0).into())?;
    println!("ready {}", endpoint.local_addr()?.port());
    while let Some(incoming) = endpoint.accept().await {
        if let Err(reason) = take(incoming).await {
            eprintln!("{reason}");
        }
    }
    Ok(())
}

async fn take(incoming: Incoming) -> Outcome<()> {
    let connection = incoming.await?;
    let (mut sending, mut receiving) = connection.accept_bi().await?;
    while receiving.read_chunk(usize::MAX, true).await?.is_some() {}
    sending.finish()?;
    connection.closed().await;
    Ok(())
}
