package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

// page uploads a number of bytes as soon as it is loaded, and then reports the end.
const page = `<script>fetch("/upload", {method: "POST", body: new Uint8Array(%d)}).then(() => fetch("/done"))</script>`

// serve serves a page to a browser over HTTP/3. It writes the certificate to trust to `ca.pem` in the folder, and
// `done` after the page's upload.
func serve(folder string, sizeBytes, seconds int) error {
	certificate, err := trustedCertificate(filepath.Join(folder, "ca.pem"))
	if err != nil {
		return err
	}
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(loopback)})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()
	pages := http.NewServeMux()
	pages.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(answer, page, sizeBytes)
	})
	pages.HandleFunc("/upload", func(_ http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
	})
	pages.HandleFunc("/done", func(http.ResponseWriter, *http.Request) {
		_ = os.WriteFile(filepath.Join(folder, "done"), nil, 0o644)
	})
	server := &http3.Server{
		Handler:   pages,
		TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}}),
		QUICConfig: &quic.Config{
			InitialStreamReceiveWindow: windowBytes, MaxStreamReceiveWindow: windowBytes,
			InitialConnectionReceiveWindow: windowBytes, MaxConnectionReceiveWindow: windowBytes,
		},
	}
	go func() { _ = server.Serve(socket) }()
	fmt.Printf("ready %d\n", socket.LocalAddr().(*net.UDPAddr).Port)
	<-ctx.Done()
	return nil
}

// trustedCertificate returns a certificate for localhost, and writes the certificate of its authority, made for this
// run.
func trustedCertificate(file string) (tls.Certificate, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Firstflight, one run"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	content, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey, authorityKey)
	if err != nil {
		return tls.Certificate{}, err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content})
	if err := os.WriteFile(file, block, 0o644); err != nil {
		return tls.Certificate{}, err
	}
	host := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	content, err = x509.CreateCertificate(rand.Reader, host, authority, &key.PublicKey, authorityKey)
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key}, err
}
