"""The window as the timeline shows it: lanes, tracks, tiles and what stands beside them."""
