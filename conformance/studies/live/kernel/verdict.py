"""The default profile to judge a congestion control of the kernel by."""

#: Without and with pacing. SEARCH, a module in several versions, and controls without a profile are compared with all.
PROFILES = {
    "cubic": ("hystart/linux", "hystart/linux-paced"),
    "bbr": ("bbr/linux-v1", "bbr/linux-v1"),
    "reno": ("slow-start/rfc-9002", "slow-start/rfc-9002"),
}
