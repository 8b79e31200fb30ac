"""Other processes, threads and profilers beside a training."""

from __future__ import annotations

from scenario import IN_WINDOW, Scenario

NEIGHBORS = (
    Scenario(
        "fork in the window, child exits at once",
        IN_WINDOW
        + """
child = os.fork()
if child == 0: os._exit(3)
print(os.waitpid(child, 0)[1])
train(watching, 3)
""",
    ),
    Scenario(
        "fork in the window, child goes on",
        IN_WINDOW
        + """
child = os.fork()
if child == 0:
    train(watching, 6)
    sys.exit(3)
print(os.waitpid(child, 0)[1])
train(watching, 3)
""",
    ),
    Scenario(
        "fork in the window, child profiles",
        IN_WINDOW
        + """
child = os.fork()
if child == 0:
    with torch.profiler.profile(): step()
    sys.exit(3)
print(os.waitpid(child, 0)[1])
train(watching, 3)
""",
    ),
    Scenario(
        "fork in the audit step",
        """
watching = hook().__enter__()
train(watching, 4)
child = os.fork()
if child == 0:
    train(watching, 6)
    sys.exit(3)
print(os.waitpid(child, 0)[1])
train(watching, 3)
""",
    ),
    Scenario(
        "fork after a window",
        """
watching = hook().__enter__()
train(watching, 8)
child = os.fork()
if child == 0:
    train(watching, 6)
    sys.exit(3)
print(os.waitpid(child, 0)[1])
""",
    ),
    Scenario(
        "loader processes that start in the window",
        """
from torch.utils.data import DataLoader
watching = hook().__enter__()
train(watching, 3)
print(sum(len(batch) for batch in DataLoader(range(40), batch_size=4, num_workers=2)))
train(watching, 3)
""",
    ),
    Scenario(
        "a command that is run in the window",
        IN_WINDOW
        + """
print(subprocess.run(['echo', 'hello'], capture_output=True).stdout)
train(watching, 3)
""",
    ),
    Scenario(
        "children are nobody's business",
        """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
run()
""",
    ),
    Scenario(
        "somebody else collects our child",
        """
with hook() as h:
    train(h, 8)
    try: os.waitpid(-1, 0)
    except ChildProcessError: pass
""",
    ),
    Scenario(
        "a thread trains and is never joined",
        """
watching = hook()
def forever():
    while True:
        step()
        watching.step()
        started.set()
started = threading.Event()
threading.Thread(target=forever, daemon=True).start()
started.wait()
time.sleep(0.05)
os._exit(2)
""",
        windows=None,
        exit_code=2,
    ),
    Scenario(
        "a thread trains and forgets to close",
        """
watching = hook()
thread = threading.Thread(target=train, args=(watching, 3))
thread.start()
thread.join()
""",
        windows=0,
    ),
    Scenario(
        "two threads, a hook each",
        """
def train_alone(number):
    with hook(os.path.join(LOGDIR, str(number))) as watching:
        for _ in range(30):
            step()
            watching.step()

threads = [threading.Thread(target=train_alone, args=(number,)) for number in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""",
        windows=None,
    ),
    Scenario(
        "two hooks in one loop",
        """
with hook() as one, hook(os.path.join(LOGDIR, 'two')) as two:
    for _ in range(12):
        train(one, 1)
        two.step()
    one.close(60)
    two.close(60)
""",
        windows=None,
        says="Another profiler is running",
    ),
    Scenario(
        "torch's profiler around the hook",
        """
with torch.profiler.profile() as theirs: run(12)
print(len(theirs.events()) > 100)
""",
        windows=0,
        says="Another profiler is running",
    ),
    Scenario(
        "torch's profiler inside the warm-up",
        """
watching = hook().__enter__()
train(watching, 1)
with torch.profiler.profile() as theirs: step()
train(watching, 8)
print(len(theirs.events()) > 10)
""",
    ),
    Scenario(
        "torch's profiler in every step",
        """
with hook() as watching:
    for _ in range(12):
        with torch.profiler.profile() as theirs: step()
        print(len(theirs.events()) > 10)
        watching.step()
""",
        windows=0,
        says="Another profiler is running",
    ),
    Scenario(
        "torch's profiler inside the window",
        IN_WINDOW
        + """
with torch.profiler.profile() as theirs: step()
train(watching, 8)
print(len(theirs.events()) > 10)
""",
    ),
    Scenario(
        "autograd's profiler inside the window",
        IN_WINDOW
        + """
with torch.autograd.profiler.profile() as theirs: step()
train(watching, 8)
print(len(theirs.function_events) > 10)
""",
    ),
    Scenario(
        "torch's profiler started, and stopped by nobody",
        """
watching = hook()
train(watching, 1)
theirs = torch.profiler.profile()
theirs.start()
atexit.register(theirs.stop)
train(watching, 5)
""",
        windows=0,
    ),
)
