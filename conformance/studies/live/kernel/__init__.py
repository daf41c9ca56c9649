"""The running kernel as a subject: this program is the network and the receiver, and reads the window after every ACK."""
