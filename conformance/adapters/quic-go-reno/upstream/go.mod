// A path below the stack's opens its internal packages to these tests.
module github.com/quic-go/quic-go/firstflight

go 1.26.0

require github.com/quic-go/quic-go v0.65.0
