"""The path simulator (``spec/simulator.md``): scenarios and networks, and the binding of the program in C (``conformance/simulator``)."""
