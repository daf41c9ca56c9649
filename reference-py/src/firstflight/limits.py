"""The domain of both references. They refuse arguments outside it; inside it no C expression overflows.

``reference-c/firstflight/limits.h`` has the same names and values.
"""

#: Times and RTTs, in ns. 20 * (2**59 - 1) < 2**64, so that 1/20 ns ticks fit in 64 bits. About 18 years.
TIME_MAX_NS = 2**59 - 1
#: Congestion windows, in bytes. Growth saturates here. 2 * (2**62 - 1) < 2**64.
WINDOW_MAX_BYTES = 2**62 - 1
#: Bytes of one event: 65535 packets of 65535 bytes in up to 65536 runs.
EVENT_MAX_BYTES = 2**48 - 1
#: Packets of one run.
RUN_MAX_PACKETS = 65535
#: Maximum datagram size, in bytes: the largest UDP payload. The minimum here is 1; QUIC allows no less than 1200.
DATAGRAM_MAX_BYTES = 65535
#: Bytes in one SEARCH bin: the C port stores a completed bin in seven bytes.
BIN_MAX_BYTES = 2**56 - 1
#: Every other number.
NUMBER_MAX = 2**64 - 1
#: Packet numbers (RFC 9000, section 12.3), so that a number after the last fits in 64 bits.
PACKET_MAX = 2**62 - 1
#: Numerator and denominator of Beta (Careful Resume).
BETA_MAX = 65535
#: Bytes of the first flight of JumpStart; more is cut off. 5 * 2**29 * 6 * 2**29 < 2**64 (``jumpstart_pacing``).
JUMP_MAX_BYTES = 2**29 - 1
