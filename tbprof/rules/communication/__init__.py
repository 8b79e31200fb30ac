"""Rules about communication between ranks (DST): while it runs, the device computes nothing."""
