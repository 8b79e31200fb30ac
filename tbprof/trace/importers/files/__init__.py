"""The bytes of a trace file: plain or packed, whole or damaged, within limits."""
