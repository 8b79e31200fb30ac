"""One family of errors; each message is a whole sentence: what, where, what to do.

    TbprofError                  anything that tbprof itself has to say no to
    |-- TraceError               a trace file gives nothing
    |   |-- TraceNotReadable     it can't be opened (missing, no permission, a folder)
    |   |-- NotATrace            it opens, and is not a Kineto trace
    |   `-- TraceTooLarge        it is over a stated limit
    |-- ReportError              a stored report can't be used
    |   |-- ReportNotReadable    it can't be opened, or its bytes are damaged
    |   `-- ReportTooNew         a later tbprof wrote it
    |-- PublishError             a window can't be published where it was asked to
    |-- PreflightError           a program can't be run without a GPU
    |   |-- NotSupported         it does what only a GPU can do
    |   `-- SelfTestFailed       this torch does not behave as preflight needs it to
    `-- UsageError               the caller asked for something that does not exist

The command line turns any of them into one line on stderr and exit code 2, the
plugin's routes into a JSON answer; nothing else may catch the family as a whole.
"""

__all__ = [
    "NotATrace",
    "NotSupported",
    "PreflightError",
    "PublishError",
    "ReportError",
    "ReportNotReadable",
    "ReportTooNew",
    "SelfTestFailed",
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
    """The file opens and holds no Kineto events."""


class TraceTooLarge(TraceError):
    """The file unpacks to more than the stated limit."""


class ReportError(TbprofError):
    """A stored report can't be used."""


class ReportNotReadable(ReportError):
    """The report's bytes can't be read or are damaged."""


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


class UsageError(TbprofError):
    """The caller asked for something that does not exist, such as an unknown rule code."""
