"""Ways in which a training begins and ends."""

from __future__ import annotations

from scenario import IN_WINDOW, Scenario

ENDINGS = (
    Scenario(
        "exception before the window",
        """
with hook() as h:
    train(h, 1)
    1 / 0
""",
        windows=0,
        exit_code=1,
    ),
    Scenario(
        "exception in the warm-up",
        """
with hook() as h:
    train(h, 2)
    1 / 0
""",
        windows=0,
        exit_code=1,
    ),
    Scenario(
        "exception in the window",
        """
with hook() as h:
    train(h, 3)
    1 / 0
""",
        exit_code=1,
    ),
    Scenario(
        "exception in the audit step",
        """
with hook() as h:
    train(h, 4)
    1 / 0
""",
        exit_code=1,
    ),
    Scenario(
        "exception in a phase",
        """
with hook() as h:
    train(h, 3)
    with h.phase('eval'): 1 / 0
""",
        exit_code=1,
    ),
    Scenario(
        "sys.exit in the window",
        """
with hook() as h:
    train(h, 3)
    sys.exit(7)
""",
        exit_code=7,
    ),
    Scenario(
        "os._exit in the window",
        IN_WINDOW
        + """
os._exit(7)
""",
        windows=0,
        exit_code=7,
    ),
    Scenario(
        "never closed, window open",
        IN_WINDOW
        + """

""",
    ),
    Scenario(
        "never closed, window over",
        """
watching = hook()
train(watching, 6)
""",
    ),
    Scenario(
        "dropped and collected in the window",
        IN_WINDOW
        + """
del watching
gc.collect()
print(step())
""",
    ),
    Scenario(
        "exec in the window",
        IN_WINDOW
        + """
os.execv('/bin/sh', ['sh', '-c', 'exit 5'])
""",
        windows=0,
        exit_code=5,
    ),
    Scenario(
        "SIGTERM in the window",
        IN_WINDOW
        + """
os.kill(os.getpid(), signal.SIGTERM)
""",
        windows=0,
        exit_code=-15,
    ),
    Scenario(
        "SIGKILL in the window",
        IN_WINDOW
        + """
os.kill(os.getpid(), signal.SIGKILL)
""",
        windows=0,
        exit_code=-9,
    ),
    Scenario(
        "Ctrl-C in the window",
        """
with hook() as h:
    train(h, 3)
    os.kill(os.getpid(), signal.SIGINT)
    train(h, 3)
""",
        exit_code=-2,
    ),
    Scenario(
        "a signal handler that saves and exits",
        """
def leave(*_):
    print('saved')
    sys.exit(4)
signal.signal(signal.SIGUSR1, leave)
watching = hook().__enter__()
train(watching, 3)
os.kill(os.getpid(), signal.SIGUSR1)
""",
        exit_code=4,
    ),
    Scenario(
        "first stepped when Python exits",
        """
atexit.register(lambda: run())
print('over')
""",
    ),
    Scenario(
        "shorter than the schedule",
        """
run(2)
""",
        windows=0,
        says="recording begins after 2 steps; steps taken: 2",
    ),
    Scenario(
        "closed twice and stepped on",
        """
run()
watching = hook()
watching.close()
watching.close()
train(watching, 3)
""",
    ),
)
