"""Readers and writers of recordings, qlogs and packet captures."""
