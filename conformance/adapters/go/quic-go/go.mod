// A path below the stack's opens its internal packages to this program. Nothing of the stack is copied or changed.
module github.com/quic-go/quic-go/firstflight

go 1.26.0

require (
	firstflight/adapter v0.0.0
	github.com/quic-go/quic-go v0.65.0
)

replace firstflight/adapter => ../adapter
