"""The congestion controls of ``reference-c/bpf`` in the running kernel."""
