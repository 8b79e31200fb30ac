"""The roofline: what operators reach beside what the device could do."""
