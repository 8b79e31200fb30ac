"""`python -m tbprof.preflight.fits train.py --batch 8,16,32 -- ...`: what `tbprof fits` starts.

Exit codes: 0 all sizes fit, or no device was named; 1 one does not, or may not; 2 one could not be judged.
"""

from __future__ import annotations

from tbprof.preflight.fits.command import run

if __name__ == "__main__":
    raise SystemExit(run())
