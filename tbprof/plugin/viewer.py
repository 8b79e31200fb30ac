"""`python -m tbprof.plugin.viewer DIR PORT`: TensorBoard with its own plugins and this one, and no other.

Whatever else is installed would read all traces of the folder too, which can take minutes on all cores.
"""

from __future__ import annotations

import sys

from tbprof.plugin.loader import TbprofLoader


def main(logdir: str, port: str) -> int:
    """Serve until the process is ended; TensorBoard's exit code."""
    from tensorboard import default, main_lib, program

    main_lib.global_init()
    tensorboard = program.TensorBoard(plugins=[*default.get_static_plugins(), TbprofLoader()])
    tensorboard.configure(argv=["tensorboard", "--logdir", logdir, "--port", port])
    code: int = tensorboard.main()
    return code


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
