"""Packet captures of TCP senders and tables of ACKs as recordings."""
