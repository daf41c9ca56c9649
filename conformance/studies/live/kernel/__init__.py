"""The running kernel as a subject: this program emulates network and receiver, and reads the window after every ACK."""
