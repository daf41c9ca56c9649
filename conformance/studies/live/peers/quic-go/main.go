// The two ends of an upload with quic-go, on loopback and bounded in time:
//
//	quic-go-peer receive SECONDS [FOLDER]        accepts uploads; prints `ready PORT`. Writes its certificate (DER)
//	                                             and a qlog of each connection to FOLDER, as some senders log too little.
//	quic-go-peer send PORT BYTES QLOG SECONDS    uploads, and writes its qlog.
//	quic-go-peer serve FOLDER BYTES SECONDS      serves a page to a browser, which uploads; prints `ready PORT`.
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlogwriter"
)

const (
	loopback = "127.0.0.1"
	protocol = "firstflight"
	// Flow control never limits the sender.
	windowBytes = 1 << 28
)

func main() {
	log.SetFlags(0)
	args := os.Args[1:]
	var err error
	switch {
	case len(args) == 2 && args[0] == "receive":
		err = receive(number(args[1]), "")
	case len(args) == 3 && args[0] == "receive":
		err = receive(number(args[1]), args[2])
	case len(args) == 5 && args[0] == "send":
		err = send(number(args[1]), number(args[2]), args[3], number(args[4]))
	case len(args) == 4 && args[0] == "serve":
		err = serve(args[1], number(args[2]), number(args[3]))
	default:
		log.Fatal("usage: quic-go-peer receive SECONDS [FOLDER] | send PORT BYTES QLOG SECONDS | serve FOLDER BYTES SECONDS")
	}
	if err != nil {
		log.Fatal(err)
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// receive accepts uploads for a duration, and ends each stream when the sender has ended it. It logs into a given
// folder.
func receive(seconds int, folder string) error {
	certificate, err := newCertificate()
	if err != nil {
		return err
	}
	if folder != "" {
		err := os.WriteFile(filepath.Join(folder, "certificate.der"), certificate.Certificate[0], 0o644)
		if err != nil {
			return err
		}
	}
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(loopback)})
	if err != nil {
		return err
	}
	config := &quic.Config{
		InitialStreamReceiveWindow: windowBytes, MaxStreamReceiveWindow: windowBytes,
		InitialConnectionReceiveWindow: windowBytes, MaxConnectionReceiveWindow: windowBytes,
		Tracer: loggedIn(folder),
	}
	secrets := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{protocol}}
	listener, err := quic.Listen(socket, secrets, config)
	if err != nil {
		return err
	}
	fmt.Printf("ready %d\n", socket.LocalAddr().(*net.UDPAddr).Port)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()
	for {
		connection, err := listener.Accept(ctx)
		if err != nil {
			return nil // time is up
		}
		go func() {
			for {
				stream, err := connection.AcceptStream(ctx)
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, stream); err == nil {
					stream.Close()
				}
			}
		}()
	}
}

// loggedIn returns a tracer that writes a qlog of each connection to a folder, or nil without a folder. It does not
// buffer: the receiver is killed at the end.
func loggedIn(folder string) func(context.Context, bool, quic.ConnectionID) qlogwriter.Trace {
	if folder == "" {
		return nil
	}
	return func(_ context.Context, isClient bool, id quic.ConnectionID) qlogwriter.Trace {
		file, err := os.Create(filepath.Join(folder, id.String()+".sqlog"))
		if err != nil {
			return nil
		}
		trace := qlogwriter.NewConnectionFileSeq(file, isClient, id)
		go trace.Run()
		return trace
	}
}

// newCertificate returns a certificate for this run.
func newCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(loopback)},
	}
	content, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key}, nil
}

// send uploads a number of bytes and waits until the receiver has all of them.
func send(port, sizeBytes int, logName string, seconds int) error {
	file, err := os.Create(logName)
	if err != nil {
		return err
	}
	var trace *qlogwriter.FileSeq
	written := make(chan struct{})
	config := &quic.Config{
		Tracer: func(_ context.Context, isClient bool, id quic.ConnectionID) qlogwriter.Trace {
			trace = qlogwriter.NewConnectionFileSeq(buffered{bufio.NewWriter(file), file}, isClient, id)
			go func() { trace.Run(); close(written) }()
			return trace
		},
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(seconds)*time.Second)
	defer cancel()
	// The receiver's certificate was made for this run.
	secrets := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}
	connection, err := quic.DialAddr(ctx, net.JoinHostPort(loopback, strconv.Itoa(port)), secrets, config)
	if err != nil {
		return err
	}
	stream, err := connection.OpenStreamSync(ctx)
	if err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = stream.SetDeadline(deadline)
	}
	if _, err := stream.Write(make([]byte, sizeBytes)); err != nil {
		return err
	}
	if err := stream.Close(); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, stream); err != nil {
		return err
	}
	if err := connection.CloseWithError(0, ""); err != nil {
		return err
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// buffered writes to a file through a buffer, which is flushed when the file is closed.
type buffered struct {
	*bufio.Writer
	file *os.File
}

func (b buffered) Close() error {
	if err := b.Flush(); err != nil {
		return err
	}
	return b.file.Close()
}
