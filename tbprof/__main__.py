"""`python -m tbprof`: the same as the `tbprof` command."""

from tbprof.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
