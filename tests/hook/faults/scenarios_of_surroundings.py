"""Files, folders, and what else a training finds or loses."""

from __future__ import annotations

from scenario import IN_WINDOW, Scenario

SURROUNDINGS = (
    Scenario(
        "log directory is a file",
        """
open(LOGDIR, 'w').close()
run()
""",
        windows=0,
        says="could not be published",
    ),
    Scenario(
        "log directory is a link to itself",
        """
os.symlink(LOGDIR, LOGDIR)
run()
""",
        windows=0,
        says="could not be published",
    ),
    Scenario(
        "log directory has a name that is too long",
        """
run(logdir=os.path.join(LOGDIR, 'x' * 300))
""",
        windows=0,
        says="could not be published",
    ),
    Scenario(
        "log directory is no UTF-8",
        """
run(logdir=os.path.join(os.fsencode(LOGDIR), b'\\xff\\xfe').decode(errors='surrogateescape'))
""",
    ),
    Scenario(
        "log directory is removed meanwhile",
        """
with hook() as h:
    train(h, 8)
    h.close(60)
shutil.rmtree(LOGDIR, ignore_errors=True)
run()
""",
    ),
    Scenario(
        "spool is removed meanwhile",
        IN_WINDOW
        + """
shutil.rmtree(os.environ['TBPROF_SPOOL'], ignore_errors=True)
train(watching, 5)
""",
    ),
    Scenario(
        "spool is a file",
        """
open(os.environ['TBPROF_SPOOL'], 'w').close()
run()
""",
        windows=0,
        says="Profiling ends",
        has_fault=True,
    ),
    Scenario(
        "relative log directory, and another folder",
        """
os.chdir(sys.argv[1])
watching = hook('logs').__enter__()
os.mkdir('elsewhere')
os.chdir('elsewhere')
train(watching, 8)
watching.close(60)
print(os.listdir('.'))
""",
    ),
    Scenario(
        "the training's folder is removed",
        """
os.mkdir('gone')
os.chdir('gone')
os.rmdir('../gone')
run()
""",
    ),
    Scenario(
        "files may have 8 KB",
        """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
run()
""",
        windows=0,
        says="lost",
    ),
    Scenario(
        "no file can be opened any more",
        """
import resource
watching = hook().__enter__()
train(watching, 3)
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (3, limit[1]))
train(watching, 5)
resource.setrlimit(resource.RLIMIT_NOFILE, limit)
""",
        windows=0,
        says="is lost|could not be published now",
    ),
    Scenario(
        "umask 077",
        """
os.umask(0o077)
run()
""",
    ),
    Scenario(
        "standard files are closed",
        """
for file in (0, 2): os.close(file)
run()
""",
    ),
    Scenario(
        "the clock stands still",
        """
time.time_ns = lambda: 1752215573993169006
run(schedule=tbprof.Schedule(skip_first=1, warmup=1, active=1, repeat=2), steps=12)
""",
        windows=2,
    ),
    Scenario(
        "the environment is cleared",
        """
with hook() as h:
    train(h, 2)
    os.environ.clear()
    train(h, 6)
    h.close(60)
""",
    ),
    Scenario(
        "no arguments and no program",
        """
sys.argv.clear()
run()
""",
    ),
    Scenario(
        "no Python to start",
        """
sys.executable = ''
run()
""",
        windows=0,
        says="could not be published now",
    ),
    Scenario(
        "warnings are errors",
        """
import warnings
warnings.simplefilter('error')
run()
""",
    ),
    Scenario(
        "a log that raises",
        """
class Raises(logging.Handler):
    def emit(self, record): raise RuntimeError
logging.getLogger('tbprof').addHandler(Raises())
run(steps=2)
run(logdir=LOGDIR + '\\0')
""",
        windows=0,
    ),
    Scenario(
        "a fault of ours",
        """
torch.profiler.profile.export_chrome_trace = lambda *_, **__: [][0]
run()
""",
        windows=0,
        says="Profiling ends here and the training goes on: IndexError",
        has_fault=True,
    ),
    Scenario(
        "no memory for the export",
        """
def no_memory(*_, **__): raise MemoryError
torch.profiler.profile.export_chrome_trace = no_memory
run()
""",
        windows=0,
        says="Profiling ends here",
        has_fault=True,
    ),
)
