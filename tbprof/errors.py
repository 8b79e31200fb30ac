"""One family of errors; each message is a whole sentence: what, where, what to do.

    TbprofError                  anything that tbprof itself has to say no to
    |-- TraceError               a trace file gives nothing
    |   |-- TraceNotReadable     it can't be opened (missing, no permission, a folder)
    |   |-- NotATrace            it opens, and is not a trace of a known format
    |   |-- TraceTooLarge        it is over a stated limit
    |   |-- ReadingEnded         the process that read it ended
    |   `-- ReadingTookTooLong   it was given up
    |-- ReportError              a stored report can't be used
    |   |-- ReportNotReadable    it can't be opened, or its bytes are damaged
    |   |-- ReportTooLarge       what it would have to hold is more than any can
    |   `-- ReportTooNew         a later tbprof wrote it
    |-- PublishError             a window can't be published where it was asked to
    |-- PreflightError           a program can't be run without a GPU
    |   |-- NotSupported         it does what only a GPU can do
    |   `-- SelfTestFailed       this torch does not behave as preflight needs it to
    |-- SnapshotError            a snapshot of torch's allocator gives nothing
    |-- RemoteError              a folder on another host can't be used as it was named
    |-- JobError                 the ranks of a job can't be judged together
    |-- OutputError              what was asked for can't be printed
    |-- UsageError               the caller asked for what can't be, such as an unknown rule
    |   `-- NotComparable        two windows have nothing of the kind in common
    |-- Gone                     what the caller names is not there, or no longer
    `-- Busy                     not now: the same question may have an answer soon

The command line turns any of them into one line on stderr and exit code 2, the
plugin's routes into a JSON answer with status 404 for `Gone`, 503 for `Busy`, and 400
for the others. On the way there the family as a whole is caught only where one file,
window or part of a page must not cost the rest, where the error crosses to another
process, and where it is raised again with a name that the user knows. All other code
catches the class that it expects.
"""

__all__ = [
    "Busy",
    "Gone",
    "JobError",
    "NotATrace",
    "NotComparable",
    "NotSupported",
    "OutputError",
    "PreflightError",
    "PublishError",
    "ReadingEnded",
    "ReadingTookTooLong",
    "RemoteError",
    "ReportError",
    "ReportNotReadable",
    "ReportTooLarge",
    "ReportTooNew",
    "SelfTestFailed",
    "SnapshotError",
    "TbprofError",
    "TraceError",
    "TraceNotReadable",
    "TraceTooLarge",
    "UsageError",
]


class TbprofError(Exception):
    """The root of the family."""


class TraceError(TbprofError):
    """A trace file gives nothing."""


class TraceNotReadable(TraceError):
    """The file can't be opened: missing, not permitted, or no regular file."""


class NotATrace(TraceError):
    """The file opens and holds no events of a format that is read here."""


class TraceTooLarge(TraceError):
    """The file unpacks to more than the stated limit."""


class ReadingEnded(TraceError):
    """The process that read the file ended, which it may not do another time."""


class ReadingTookTooLong(TraceError):
    """The file was not read by its deadline, and would hold up all others another time."""


class ReportError(TbprofError):
    """A stored report can't be used."""


class ReportNotReadable(ReportError):
    """The report's bytes can't be read or are damaged."""


class ReportTooLarge(ReportError):
    """The trace has more steps, or more of something else, than a report can hold."""


class ReportTooNew(ReportError):
    """The report was written by a later version, in a schema this one does not know."""


class PublishError(TbprofError):
    """A window can't be published where it was asked to."""


class PreflightError(TbprofError):
    """A program can't be run without a GPU."""


class NotSupported(PreflightError):
    """The program does what only a GPU can do, such as recording a CUDA graph."""


class SelfTestFailed(PreflightError):
    """The torch that is there does not behave as preflight needs it to."""


class RemoteError(TbprofError):
    """A folder on another host can't be used: something is not installed, not permitted, or not there."""


class JobError(TbprofError):
    """The ranks of a job can't be judged together: their operations do not fit."""


class OutputError(TbprofError):
    """What was asked for can't be printed: stdout is closed or full."""


class SnapshotError(TbprofError):
    """A snapshot of torch's allocator gives nothing."""


class UsageError(TbprofError):
    """The caller asked for what can't be, such as the page of a rule that there is not."""


class NotComparable(UsageError):
    """Two windows have nothing of the kind in common; each alone can be shown."""


class Gone(TbprofError):
    """The caller names a window, a run or a file that is not there, or no longer."""


class Busy(TbprofError):
    """Not now: the same question may have an answer in a few seconds."""
