"""By which profile a congestion control of the kernel is judged where nothing else is asked for."""

#: Without and with pacing. SEARCH, which comes as a module in several versions, is compared with all; so is what no profile describes.
PROFILES = {
    "cubic": ("hystart/linux", "hystart/linux-paced"),
    "bbr": ("bbr/linux-v1", "bbr/linux-v1"),
    "reno": ("slow-start/rfc-9002", "slow-start/rfc-9002"),
}
