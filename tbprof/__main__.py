"""`python -m tbprof`: the same as the `tbprof` command."""

from tbprof.cli.main import run

if __name__ == "__main__":
    run()
