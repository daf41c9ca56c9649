//! The sender of an upload with quinn, on loopback and bounded in time:
//!
//!     quinn-peer send PORT BYTES QLOG SECONDS CERTIFICATE    uploads, and writes its qlog
//!
//! CERTIFICATE: the receiver's certificate, in DER. quinn runs with its defaults: CUBIC, paced, with PMTU probes.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::rustls::pki_types::CertificateDer;
use quinn::rustls::{ClientConfig as Secrets, RootCertStore};
use quinn::{ClientConfig, Endpoint, QlogConfig, TransportConfig};

type Outcome<T> = Result<T, Box<dyn Error>>;

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
const PROTOCOL: &[u8] = b"firstflight";

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [word, port, size_bytes, log, seconds, certificate] = &args[..] else { return Err(usage()) };
    if word != "send" {
        return Err(usage());
    }
    let config = configuration(certificate, log)?;
    let upload = send(port.parse()?, vec![0; size_bytes.parse()?], config);
    let bound = Duration::from_secs(seconds.parse()?);
    // One thread, so that the log is complete when the runtime ends.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { tokio::time::timeout(bound, upload).await })?
}

fn usage() -> Box<dyn Error> {
    "usage: quinn-peer send PORT BYTES QLOG SECONDS CERTIFICATE".into()
}

/// Returns the configuration of a client that trusts only this certificate and writes a log.
fn configuration(certificate: &str, log: &str) -> Outcome<ClientConfig> {
    let mut trusted = RootCertStore::empty();
    trusted.add(CertificateDer::from(std::fs::read(certificate)?))?;
    let mut secrets = Secrets::builder().with_root_certificates(trusted).with_no_client_auth();
    secrets.alpn_protocols = vec![PROTOCOL.to_vec()];

    let mut qlog = QlogConfig::default();
    qlog.writer(Box::new(BufWriter::new(File::create(log)?))).title(Some("quinn".into()));
    let mut transport = TransportConfig::default();
    transport.qlog_stream(qlog.into_stream());

    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(secrets)?));
    config.transport_config(Arc::new(transport));
    Ok(config)
}

/// Uploads these bytes and waits until the receiver has all of them.
async fn send(port: u16, content: Vec<u8>, config: ClientConfig) -> Outcome<()> {
    let endpoint = Endpoint::client((LOOPBACK, 0).into())?;
    let connection = endpoint.connect_with(config, (LOOPBACK, port).into(), &LOOPBACK.to_string())?.await?;
    let (mut sending, mut receiving) = connection.open_bi().await?;
    sending.write_all(&content).await?;
    sending.finish()?;
    receiving.read_to_end(0).await?;
    connection.close(0u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}
