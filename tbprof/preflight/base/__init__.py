"""What watching and patching share: a patch, a tensor's mark, the devices there seem to be."""
