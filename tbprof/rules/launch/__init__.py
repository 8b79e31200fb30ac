"""Rules about launching (LCH): the host is too slow for the device."""
