from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Envelope(_message.Message):
    __slots__ = ("schema", "written_by", "checksum", "report", "trace_bytes", "trace_digest")
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_BY_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    TRACE_BYTES_FIELD_NUMBER: _ClassVar[int]
    TRACE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    schema: int
    written_by: str
    checksum: int
    report: bytes
    trace_bytes: int
    trace_digest: str
    def __init__(self, schema: _Optional[int] = ..., written_by: _Optional[str] = ..., checksum: _Optional[int] = ..., report: _Optional[bytes] = ..., trace_bytes: _Optional[int] = ..., trace_digest: _Optional[str] = ...) -> None: ...

class Number(_message.Message):
    __slots__ = ("integer", "real", "text")
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    REAL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    integer: int
    real: float
    text: str
    def __init__(self, integer: _Optional[int] = ..., real: _Optional[float] = ..., text: _Optional[str] = ...) -> None: ...

class HealthFact(_message.Message):
    __slots__ = ("code", "severity", "numbers")
    class NumbersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Number
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Number, _Mapping]] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    code: str
    severity: str
    numbers: _containers.MessageMap[str, Number]
    def __init__(self, code: _Optional[str] = ..., severity: _Optional[str] = ..., numbers: _Optional[_Mapping[str, Number]] = ...) -> None: ...

class TraceSummary(_message.Message):
    __slots__ = ("path", "worker", "rank", "world_size", "devices", "era", "span_ns", "num_events", "health")
    PATH_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    WORLD_SIZE_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    ERA_FIELD_NUMBER: _ClassVar[int]
    SPAN_NS_FIELD_NUMBER: _ClassVar[int]
    NUM_EVENTS_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    path: str
    worker: str
    rank: int
    world_size: int
    devices: _containers.RepeatedScalarFieldContainer[str]
    era: str
    span_ns: int
    num_events: int
    health: _containers.RepeatedCompositeFieldContainer[HealthFact]
    def __init__(self, path: _Optional[str] = ..., worker: _Optional[str] = ..., rank: _Optional[int] = ..., world_size: _Optional[int] = ..., devices: _Optional[_Iterable[str]] = ..., era: _Optional[str] = ..., span_ns: _Optional[int] = ..., num_events: _Optional[int] = ..., health: _Optional[_Iterable[_Union[HealthFact, _Mapping]]] = ...) -> None: ...

class HostTime(_message.Message):
    __slots__ = ("waiting_ns", "loading_ns", "launching_ns")
    WAITING_NS_FIELD_NUMBER: _ClassVar[int]
    LOADING_NS_FIELD_NUMBER: _ClassVar[int]
    LAUNCHING_NS_FIELD_NUMBER: _ClassVar[int]
    waiting_ns: int
    loading_ns: int
    launching_ns: int
    def __init__(self, waiting_ns: _Optional[int] = ..., loading_ns: _Optional[int] = ..., launching_ns: _Optional[int] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ("name", "start_ns", "duration_ns", "cold", "sync_points", "wait_ns", "device_idle_ns", "idle_empty_ns", "gpu_lag_ns", "copying_ns", "idle_by_cause", "host", "saving", "kernels", "launches", "gpu_duration_ns", "computing_ns", "communication_exposed_ns")
    class IdleByCauseEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    COLD_FIELD_NUMBER: _ClassVar[int]
    SYNC_POINTS_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_IDLE_NS_FIELD_NUMBER: _ClassVar[int]
    IDLE_EMPTY_NS_FIELD_NUMBER: _ClassVar[int]
    GPU_LAG_NS_FIELD_NUMBER: _ClassVar[int]
    COPYING_NS_FIELD_NUMBER: _ClassVar[int]
    IDLE_BY_CAUSE_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    KERNELS_FIELD_NUMBER: _ClassVar[int]
    LAUNCHES_FIELD_NUMBER: _ClassVar[int]
    GPU_DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    COMPUTING_NS_FIELD_NUMBER: _ClassVar[int]
    COMMUNICATION_EXPOSED_NS_FIELD_NUMBER: _ClassVar[int]
    name: str
    start_ns: int
    duration_ns: int
    cold: bool
    sync_points: int
    wait_ns: int
    device_idle_ns: int
    idle_empty_ns: int
    gpu_lag_ns: int
    copying_ns: int
    idle_by_cause: _containers.ScalarMap[str, int]
    host: HostTime
    saving: Saving
    kernels: int
    launches: int
    gpu_duration_ns: int
    computing_ns: int
    communication_exposed_ns: int
    def __init__(self, name: _Optional[str] = ..., start_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ..., cold: bool = ..., sync_points: _Optional[int] = ..., wait_ns: _Optional[int] = ..., device_idle_ns: _Optional[int] = ..., idle_empty_ns: _Optional[int] = ..., gpu_lag_ns: _Optional[int] = ..., copying_ns: _Optional[int] = ..., idle_by_cause: _Optional[_Mapping[str, int]] = ..., host: _Optional[_Union[HostTime, _Mapping]] = ..., saving: _Optional[_Union[Saving, _Mapping]] = ..., kernels: _Optional[int] = ..., launches: _Optional[int] = ..., gpu_duration_ns: _Optional[int] = ..., computing_ns: _Optional[int] = ..., communication_exposed_ns: _Optional[int] = ...) -> None: ...

class SyncTotals(_message.Message):
    __slots__ = ("count", "wait_ns", "wait_in_copy_ns", "wait_in_sync_ns", "explained_ns", "profiler_own_ns", "not_blocking_ns")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    WAIT_IN_COPY_NS_FIELD_NUMBER: _ClassVar[int]
    WAIT_IN_SYNC_NS_FIELD_NUMBER: _ClassVar[int]
    EXPLAINED_NS_FIELD_NUMBER: _ClassVar[int]
    PROFILER_OWN_NS_FIELD_NUMBER: _ClassVar[int]
    NOT_BLOCKING_NS_FIELD_NUMBER: _ClassVar[int]
    count: int
    wait_ns: int
    wait_in_copy_ns: int
    wait_in_sync_ns: int
    explained_ns: int
    profiler_own_ns: _containers.RepeatedScalarFieldContainer[int]
    not_blocking_ns: int
    def __init__(self, count: _Optional[int] = ..., wait_ns: _Optional[int] = ..., wait_in_copy_ns: _Optional[int] = ..., wait_in_sync_ns: _Optional[int] = ..., explained_ns: _Optional[int] = ..., profiler_own_ns: _Optional[_Iterable[int]] = ..., not_blocking_ns: _Optional[int] = ...) -> None: ...

class CopyTotal(_message.Message):
    __slots__ = ("direction", "memory", "count", "bytes", "blocking", "wait_ns", "device_ns", "exposed_ns", "best_bytes_per_s")
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    BLOCKING_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    EXPOSED_NS_FIELD_NUMBER: _ClassVar[int]
    BEST_BYTES_PER_S_FIELD_NUMBER: _ClassVar[int]
    direction: str
    memory: str
    count: int
    bytes: int
    blocking: int
    wait_ns: int
    device_ns: int
    exposed_ns: int
    best_bytes_per_s: int
    def __init__(self, direction: _Optional[str] = ..., memory: _Optional[str] = ..., count: _Optional[int] = ..., bytes: _Optional[int] = ..., blocking: _Optional[int] = ..., wait_ns: _Optional[int] = ..., device_ns: _Optional[int] = ..., exposed_ns: _Optional[int] = ..., best_bytes_per_s: _Optional[int] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("file", "line", "function", "exact", "candidates")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    exact: bool
    candidates: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., exact: bool = ..., candidates: _Optional[_Iterable[int]] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("kind", "name", "start_ns", "duration_ns")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    name: str
    start_ns: int
    duration_ns: int
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[str] = ..., start_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ...) -> None: ...

class Instance(_message.Message):
    __slots__ = ("step", "host", "device", "op")
    STEP_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    OP_FIELD_NUMBER: _ClassVar[int]
    step: int
    host: _containers.RepeatedCompositeFieldContainer[Span]
    device: _containers.RepeatedCompositeFieldContainer[Span]
    op: Span
    def __init__(self, step: _Optional[int] = ..., host: _Optional[_Iterable[_Union[Span, _Mapping]]] = ..., device: _Optional[_Iterable[_Union[Span, _Mapping]]] = ..., op: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class Site(_message.Message):
    __slots__ = ("direction", "memory", "calls", "ops", "source", "label", "module", "count", "blocking", "per_step", "bytes", "wait_ns", "wait_net_ns", "explained_ns", "starve_ns", "instance", "device_ns", "exposed_ns", "library", "callers", "wait_per_step_ns", "communication_wait_ns", "op_before", "op_after")
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    OPS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    MODULE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    BLOCKING_FIELD_NUMBER: _ClassVar[int]
    PER_STEP_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    WAIT_NET_NS_FIELD_NUMBER: _ClassVar[int]
    EXPLAINED_NS_FIELD_NUMBER: _ClassVar[int]
    STARVE_NS_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    EXPOSED_NS_FIELD_NUMBER: _ClassVar[int]
    LIBRARY_FIELD_NUMBER: _ClassVar[int]
    CALLERS_FIELD_NUMBER: _ClassVar[int]
    WAIT_PER_STEP_NS_FIELD_NUMBER: _ClassVar[int]
    COMMUNICATION_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    OP_BEFORE_FIELD_NUMBER: _ClassVar[int]
    OP_AFTER_FIELD_NUMBER: _ClassVar[int]
    direction: str
    memory: str
    calls: _containers.RepeatedScalarFieldContainer[str]
    ops: _containers.RepeatedScalarFieldContainer[str]
    source: Source
    label: str
    module: str
    count: int
    blocking: int
    per_step: _containers.RepeatedScalarFieldContainer[int]
    bytes: int
    wait_ns: int
    wait_net_ns: int
    explained_ns: int
    starve_ns: int
    instance: Instance
    device_ns: int
    exposed_ns: int
    library: str
    callers: _containers.RepeatedCompositeFieldContainer[Source]
    wait_per_step_ns: _containers.RepeatedScalarFieldContainer[int]
    communication_wait_ns: int
    op_before: str
    op_after: str
    def __init__(self, direction: _Optional[str] = ..., memory: _Optional[str] = ..., calls: _Optional[_Iterable[str]] = ..., ops: _Optional[_Iterable[str]] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., label: _Optional[str] = ..., module: _Optional[str] = ..., count: _Optional[int] = ..., blocking: _Optional[int] = ..., per_step: _Optional[_Iterable[int]] = ..., bytes: _Optional[int] = ..., wait_ns: _Optional[int] = ..., wait_net_ns: _Optional[int] = ..., explained_ns: _Optional[int] = ..., starve_ns: _Optional[int] = ..., instance: _Optional[_Union[Instance, _Mapping]] = ..., device_ns: _Optional[int] = ..., exposed_ns: _Optional[int] = ..., library: _Optional[str] = ..., callers: _Optional[_Iterable[_Union[Source, _Mapping]]] = ..., wait_per_step_ns: _Optional[_Iterable[int]] = ..., communication_wait_ns: _Optional[int] = ..., op_before: _Optional[str] = ..., op_after: _Optional[str] = ...) -> None: ...

class DeviceIdle(_message.Message):
    __slots__ = ("device_ns", "empty_ns", "queued_ns", "by_cause")
    class ByCauseEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    EMPTY_NS_FIELD_NUMBER: _ClassVar[int]
    QUEUED_NS_FIELD_NUMBER: _ClassVar[int]
    BY_CAUSE_FIELD_NUMBER: _ClassVar[int]
    device_ns: int
    empty_ns: int
    queued_ns: int
    by_cause: _containers.ScalarMap[str, int]
    def __init__(self, device_ns: _Optional[int] = ..., empty_ns: _Optional[int] = ..., queued_ns: _Optional[int] = ..., by_cause: _Optional[_Mapping[str, int]] = ...) -> None: ...

class IdlePlace(_message.Message):
    __slots__ = ("cause", "idle_ns", "place", "site", "drained_by")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    IDLE_NS_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    DRAINED_BY_FIELD_NUMBER: _ClassVar[int]
    cause: str
    idle_ns: int
    place: str
    site: int
    drained_by: int
    def __init__(self, cause: _Optional[str] = ..., idle_ns: _Optional[int] = ..., place: _Optional[str] = ..., site: _Optional[int] = ..., drained_by: _Optional[int] = ...) -> None: ...

class Idle(_message.Message):
    __slots__ = ("total", "by_device", "places")
    class ByDeviceEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: DeviceIdle
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[DeviceIdle, _Mapping]] = ...) -> None: ...
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    BY_DEVICE_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    total: DeviceIdle
    by_device: _containers.MessageMap[str, DeviceIdle]
    places: _containers.RepeatedCompositeFieldContainer[IdlePlace]
    def __init__(self, total: _Optional[_Union[DeviceIdle, _Mapping]] = ..., by_device: _Optional[_Mapping[str, DeviceIdle]] = ..., places: _Optional[_Iterable[_Union[IdlePlace, _Mapping]]] = ...) -> None: ...

class CodeShare(_message.Message):
    __slots__ = ("kind", "name", "host_ns", "device_ns", "launches", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOST_NS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    LAUNCHES_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    name: str
    host_ns: int
    device_ns: int
    launches: int
    count: int
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[str] = ..., host_ns: _Optional[int] = ..., device_ns: _Optional[int] = ..., launches: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class Saving(_message.Message):
    __slots__ = ("floor_ns", "estimate_ns", "ceiling_ns")
    FLOOR_NS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_NS_FIELD_NUMBER: _ClassVar[int]
    CEILING_NS_FIELD_NUMBER: _ClassVar[int]
    floor_ns: int
    estimate_ns: int
    ceiling_ns: int
    def __init__(self, floor_ns: _Optional[int] = ..., estimate_ns: _Optional[int] = ..., ceiling_ns: _Optional[int] = ...) -> None: ...

class Savings(_message.Message):
    __slots__ = ("floor_ns", "estimate_ns", "ceiling_ns", "calibrated", "replay_error", "all_ceiling_ns")
    FLOOR_NS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_NS_FIELD_NUMBER: _ClassVar[int]
    CEILING_NS_FIELD_NUMBER: _ClassVar[int]
    CALIBRATED_FIELD_NUMBER: _ClassVar[int]
    REPLAY_ERROR_FIELD_NUMBER: _ClassVar[int]
    ALL_CEILING_NS_FIELD_NUMBER: _ClassVar[int]
    floor_ns: int
    estimate_ns: int
    ceiling_ns: int
    calibrated: bool
    replay_error: float
    all_ceiling_ns: int
    def __init__(self, floor_ns: _Optional[int] = ..., estimate_ns: _Optional[int] = ..., ceiling_ns: _Optional[int] = ..., calibrated: bool = ..., replay_error: _Optional[float] = ..., all_ceiling_ns: _Optional[int] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("kind", "start_ns", "duration_ns", "step", "row")
    KIND_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    kind: str
    start_ns: int
    duration_ns: int
    step: int
    row: int
    def __init__(self, kind: _Optional[str] = ..., start_ns: _Optional[int] = ..., duration_ns: _Optional[int] = ..., step: _Optional[int] = ..., row: _Optional[int] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("rule", "severity", "sites", "steps", "count", "removal", "saving", "confidence", "evidence", "numbers", "fingerprint")
    class NumbersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Number
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Number, _Mapping]] = ...) -> None: ...
    RULE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    SITES_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    REMOVAL_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    rule: str
    severity: str
    sites: _containers.RepeatedScalarFieldContainer[int]
    steps: _containers.RepeatedScalarFieldContainer[int]
    count: int
    removal: str
    saving: Saving
    confidence: str
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    numbers: _containers.MessageMap[str, Number]
    fingerprint: str
    def __init__(self, rule: _Optional[str] = ..., severity: _Optional[str] = ..., sites: _Optional[_Iterable[int]] = ..., steps: _Optional[_Iterable[int]] = ..., count: _Optional[int] = ..., removal: _Optional[str] = ..., saving: _Optional[_Union[Saving, _Mapping]] = ..., confidence: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., numbers: _Optional[_Mapping[str, Number]] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class PlanRow(_message.Message):
    __slots__ = ("finding", "adds_ns", "total_ns", "ceiling_ns")
    FINDING_FIELD_NUMBER: _ClassVar[int]
    ADDS_NS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_NS_FIELD_NUMBER: _ClassVar[int]
    CEILING_NS_FIELD_NUMBER: _ClassVar[int]
    finding: int
    adds_ns: int
    total_ns: int
    ceiling_ns: int
    def __init__(self, finding: _Optional[int] = ..., adds_ns: _Optional[int] = ..., total_ns: _Optional[int] = ..., ceiling_ns: _Optional[int] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("case", "numbers")
    class NumbersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Number
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Number, _Mapping]] = ...) -> None: ...
    CASE_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    case: str
    numbers: _containers.MessageMap[str, Number]
    def __init__(self, case: _Optional[str] = ..., numbers: _Optional[_Mapping[str, Number]] = ...) -> None: ...

class NotChecked(_message.Message):
    __slots__ = ("rule", "needs")
    RULE_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    rule: str
    needs: str
    def __init__(self, rule: _Optional[str] = ..., needs: _Optional[str] = ...) -> None: ...

class FailedRule(_message.Message):
    __slots__ = ("rule", "error")
    RULE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    rule: str
    error: str
    def __init__(self, rule: _Optional[str] = ..., error: _Optional[str] = ...) -> None: ...

class RecordedCall(_message.Message):
    __slots__ = ("file", "line", "function", "call", "count", "devices", "pinned", "non_blocking", "thread", "same_bytes", "caller", "via", "places")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    NON_BLOCKING_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    SAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    VIA_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    call: str
    count: int
    devices: _containers.RepeatedScalarFieldContainer[str]
    pinned: bool
    non_blocking: bool
    thread: int
    same_bytes: bool
    caller: Source
    via: str
    places: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., call: _Optional[str] = ..., count: _Optional[int] = ..., devices: _Optional[_Iterable[str]] = ..., pinned: bool = ..., non_blocking: bool = ..., thread: _Optional[int] = ..., same_bytes: bool = ..., caller: _Optional[_Union[Source, _Mapping]] = ..., via: _Optional[str] = ..., places: _Optional[_Iterable[str]] = ...) -> None: ...

class PredictedLine(_message.Message):
    __slots__ = ("rule", "kind", "source", "call", "count", "known", "fingerprint")
    RULE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    rule: str
    kind: str
    source: Source
    call: str
    count: int
    known: str
    fingerprint: str
    def __init__(self, rule: _Optional[str] = ..., kind: _Optional[str] = ..., source: _Optional[_Union[Source, _Mapping]] = ..., call: _Optional[str] = ..., count: _Optional[int] = ..., known: _Optional[str] = ..., fingerprint: _Optional[str] = ...) -> None: ...

class Construction(_message.Message):
    __slots__ = ("file", "line", "function", "kind", "count")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    kind: str
    count: int
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., kind: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class SampledLine(_message.Message):
    __slots__ = ("file", "line", "function", "caller", "within", "count", "time_ns")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    caller: Source
    within: str
    count: int
    time_ns: int
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., caller: _Optional[_Union[Source, _Mapping]] = ..., within: _Optional[str] = ..., count: _Optional[int] = ..., time_ns: _Optional[int] = ...) -> None: ...

class SourceText(_message.Message):
    __slots__ = ("file", "first_line", "text")
    FILE_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    file: str
    first_line: int
    text: str
    def __init__(self, file: _Optional[str] = ..., first_line: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Audit(_message.Message):
    __slots__ = ("left_out", "calls", "order", "dropped", "sources", "constructions", "backward_calls", "samples", "samples_taken", "steps")
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CONSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    BACKWARD_CALLS_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_TAKEN_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    left_out: str
    calls: _containers.RepeatedCompositeFieldContainer[RecordedCall]
    order: _containers.RepeatedScalarFieldContainer[int]
    dropped: int
    sources: _containers.RepeatedCompositeFieldContainer[SourceText]
    constructions: _containers.RepeatedCompositeFieldContainer[Construction]
    backward_calls: int
    samples: _containers.RepeatedCompositeFieldContainer[SampledLine]
    samples_taken: int
    steps: int
    def __init__(self, left_out: _Optional[str] = ..., calls: _Optional[_Iterable[_Union[RecordedCall, _Mapping]]] = ..., order: _Optional[_Iterable[int]] = ..., dropped: _Optional[int] = ..., sources: _Optional[_Iterable[_Union[SourceText, _Mapping]]] = ..., constructions: _Optional[_Iterable[_Union[Construction, _Mapping]]] = ..., backward_calls: _Optional[int] = ..., samples: _Optional[_Iterable[_Union[SampledLine, _Mapping]]] = ..., samples_taken: _Optional[int] = ..., steps: _Optional[int] = ...) -> None: ...

class StepCounts(_message.Message):
    __slots__ = ("counts",)
    class CountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _containers.ScalarMap[str, int]
    def __init__(self, counts: _Optional[_Mapping[str, int]] = ...) -> None: ...

class LoaderFacts(_message.Message):
    __slots__ = ("dataset", "batch_size", "num_workers", "pin_memory", "prefetch_factor", "persistent_workers")
    DATASET_FIELD_NUMBER: _ClassVar[int]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    NUM_WORKERS_FIELD_NUMBER: _ClassVar[int]
    PIN_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FACTOR_FIELD_NUMBER: _ClassVar[int]
    PERSISTENT_WORKERS_FIELD_NUMBER: _ClassVar[int]
    dataset: str
    batch_size: int
    num_workers: int
    pin_memory: bool
    prefetch_factor: int
    persistent_workers: bool
    def __init__(self, dataset: _Optional[str] = ..., batch_size: _Optional[int] = ..., num_workers: _Optional[int] = ..., pin_memory: bool = ..., prefetch_factor: _Optional[int] = ..., persistent_workers: bool = ...) -> None: ...

class OptimizerFacts(_message.Message):
    __slots__ = ("name", "foreach", "fused", "capturable", "groups", "parameters")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FOREACH_FIELD_NUMBER: _ClassVar[int]
    FUSED_FIELD_NUMBER: _ClassVar[int]
    CAPTURABLE_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    foreach: bool
    fused: bool
    capturable: bool
    groups: int
    parameters: int
    def __init__(self, name: _Optional[str] = ..., foreach: bool = ..., fused: bool = ..., capturable: bool = ..., groups: _Optional[int] = ..., parameters: _Optional[int] = ...) -> None: ...

class MissingFact(_message.Message):
    __slots__ = ("name", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    reason: str
    def __init__(self, name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class HookFacts(_message.Message):
    __slots__ = ("schema", "tbprof_version", "torch_version", "cuda_version", "driver_version", "device_names", "worker", "rank", "world_size", "window", "first_step", "recorded_steps", "options", "unprofiled_step_ns", "profiled_step_ns", "audit", "settings", "environment", "counters", "git_commit", "loaders", "optimizers", "begun_by", "phase", "phases_left_out", "unprofiled_quartiles_ns", "cold_steps_ns", "unprofiled_device_step_ns", "after_step_ns", "step_counters", "other_gpu_processes", "profiler_start_ns", "missing", "compiler", "collections")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bool
        def __init__(self, key: _Optional[str] = ..., value: bool = ...) -> None: ...
    class SettingsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class EnvironmentEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class CountersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    TBPROF_VERSION_FIELD_NUMBER: _ClassVar[int]
    TORCH_VERSION_FIELD_NUMBER: _ClassVar[int]
    CUDA_VERSION_FIELD_NUMBER: _ClassVar[int]
    DRIVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NAMES_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    WORLD_SIZE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    FIRST_STEP_FIELD_NUMBER: _ClassVar[int]
    RECORDED_STEPS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    UNPROFILED_STEP_NS_FIELD_NUMBER: _ClassVar[int]
    PROFILED_STEP_NS_FIELD_NUMBER: _ClassVar[int]
    AUDIT_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    GIT_COMMIT_FIELD_NUMBER: _ClassVar[int]
    LOADERS_FIELD_NUMBER: _ClassVar[int]
    OPTIMIZERS_FIELD_NUMBER: _ClassVar[int]
    BEGUN_BY_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    PHASES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    UNPROFILED_QUARTILES_NS_FIELD_NUMBER: _ClassVar[int]
    COLD_STEPS_NS_FIELD_NUMBER: _ClassVar[int]
    UNPROFILED_DEVICE_STEP_NS_FIELD_NUMBER: _ClassVar[int]
    AFTER_STEP_NS_FIELD_NUMBER: _ClassVar[int]
    STEP_COUNTERS_FIELD_NUMBER: _ClassVar[int]
    OTHER_GPU_PROCESSES_FIELD_NUMBER: _ClassVar[int]
    PROFILER_START_NS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    COMPILER_FIELD_NUMBER: _ClassVar[int]
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    schema: int
    tbprof_version: str
    torch_version: str
    cuda_version: str
    driver_version: str
    device_names: _containers.RepeatedScalarFieldContainer[str]
    worker: str
    rank: int
    world_size: int
    window: int
    first_step: int
    recorded_steps: int
    options: _containers.ScalarMap[str, bool]
    unprofiled_step_ns: int
    profiled_step_ns: int
    audit: Audit
    settings: _containers.ScalarMap[str, str]
    environment: _containers.ScalarMap[str, str]
    counters: _containers.ScalarMap[str, int]
    git_commit: str
    loaders: _containers.RepeatedCompositeFieldContainer[LoaderFacts]
    optimizers: _containers.RepeatedCompositeFieldContainer[OptimizerFacts]
    begun_by: str
    phase: str
    phases_left_out: _containers.RepeatedScalarFieldContainer[str]
    unprofiled_quartiles_ns: _containers.RepeatedScalarFieldContainer[int]
    cold_steps_ns: _containers.RepeatedScalarFieldContainer[int]
    unprofiled_device_step_ns: int
    after_step_ns: int
    step_counters: _containers.RepeatedCompositeFieldContainer[StepCounts]
    other_gpu_processes: int
    profiler_start_ns: int
    missing: _containers.RepeatedCompositeFieldContainer[MissingFact]
    compiler: CompilerFacts
    collections: GarbageCollections
    def __init__(self, schema: _Optional[int] = ..., tbprof_version: _Optional[str] = ..., torch_version: _Optional[str] = ..., cuda_version: _Optional[str] = ..., driver_version: _Optional[str] = ..., device_names: _Optional[_Iterable[str]] = ..., worker: _Optional[str] = ..., rank: _Optional[int] = ..., world_size: _Optional[int] = ..., window: _Optional[int] = ..., first_step: _Optional[int] = ..., recorded_steps: _Optional[int] = ..., options: _Optional[_Mapping[str, bool]] = ..., unprofiled_step_ns: _Optional[int] = ..., profiled_step_ns: _Optional[int] = ..., audit: _Optional[_Union[Audit, _Mapping]] = ..., settings: _Optional[_Mapping[str, str]] = ..., environment: _Optional[_Mapping[str, str]] = ..., counters: _Optional[_Mapping[str, int]] = ..., git_commit: _Optional[str] = ..., loaders: _Optional[_Iterable[_Union[LoaderFacts, _Mapping]]] = ..., optimizers: _Optional[_Iterable[_Union[OptimizerFacts, _Mapping]]] = ..., begun_by: _Optional[str] = ..., phase: _Optional[str] = ..., phases_left_out: _Optional[_Iterable[str]] = ..., unprofiled_quartiles_ns: _Optional[_Iterable[int]] = ..., cold_steps_ns: _Optional[_Iterable[int]] = ..., unprofiled_device_step_ns: _Optional[int] = ..., after_step_ns: _Optional[int] = ..., step_counters: _Optional[_Iterable[_Union[StepCounts, _Mapping]]] = ..., other_gpu_processes: _Optional[int] = ..., profiler_start_ns: _Optional[int] = ..., missing: _Optional[_Iterable[_Union[MissingFact, _Mapping]]] = ..., compiler: _Optional[_Union[CompilerFacts, _Mapping]] = ..., collections: _Optional[_Union[GarbageCollections, _Mapping]] = ...) -> None: ...

class Report(_message.Message):
    __slots__ = ("trace", "steps", "sync_points", "copies", "sites", "idle", "savings", "findings", "fix_plan", "verdict", "not_checked", "failed_rules", "recorded_calls", "facts", "code", "sources", "predicted_lines", "communication", "checks", "computing", "faster_device_ns", "memory", "ranked", "gpu_use")
    TRACE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    SYNC_POINTS_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    SITES_FIELD_NUMBER: _ClassVar[int]
    IDLE_FIELD_NUMBER: _ClassVar[int]
    SAVINGS_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    FIX_PLAN_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    NOT_CHECKED_FIELD_NUMBER: _ClassVar[int]
    FAILED_RULES_FIELD_NUMBER: _ClassVar[int]
    RECORDED_CALLS_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    PREDICTED_LINES_FIELD_NUMBER: _ClassVar[int]
    COMMUNICATION_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    COMPUTING_FIELD_NUMBER: _ClassVar[int]
    FASTER_DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    RANKED_FIELD_NUMBER: _ClassVar[int]
    GPU_USE_FIELD_NUMBER: _ClassVar[int]
    trace: TraceSummary
    steps: _containers.RepeatedCompositeFieldContainer[Step]
    sync_points: SyncTotals
    copies: _containers.RepeatedCompositeFieldContainer[CopyTotal]
    sites: _containers.RepeatedCompositeFieldContainer[Site]
    idle: Idle
    savings: Savings
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    fix_plan: _containers.RepeatedCompositeFieldContainer[PlanRow]
    verdict: Verdict
    not_checked: _containers.RepeatedCompositeFieldContainer[NotChecked]
    failed_rules: _containers.RepeatedCompositeFieldContainer[FailedRule]
    recorded_calls: _containers.RepeatedCompositeFieldContainer[RecordedCall]
    facts: HookFacts
    code: _containers.RepeatedCompositeFieldContainer[CodeShare]
    sources: _containers.RepeatedCompositeFieldContainer[SourceText]
    predicted_lines: _containers.RepeatedCompositeFieldContainer[PredictedLine]
    communication: Communication
    checks: _containers.RepeatedCompositeFieldContainer[Check]
    computing: Computing
    faster_device_ns: int
    memory: _containers.RepeatedCompositeFieldContainer[MemoryPeak]
    ranked: Ranked
    gpu_use: _containers.RepeatedCompositeFieldContainer[GpuUse]
    def __init__(self, trace: _Optional[_Union[TraceSummary, _Mapping]] = ..., steps: _Optional[_Iterable[_Union[Step, _Mapping]]] = ..., sync_points: _Optional[_Union[SyncTotals, _Mapping]] = ..., copies: _Optional[_Iterable[_Union[CopyTotal, _Mapping]]] = ..., sites: _Optional[_Iterable[_Union[Site, _Mapping]]] = ..., idle: _Optional[_Union[Idle, _Mapping]] = ..., savings: _Optional[_Union[Savings, _Mapping]] = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ..., fix_plan: _Optional[_Iterable[_Union[PlanRow, _Mapping]]] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., not_checked: _Optional[_Iterable[_Union[NotChecked, _Mapping]]] = ..., failed_rules: _Optional[_Iterable[_Union[FailedRule, _Mapping]]] = ..., recorded_calls: _Optional[_Iterable[_Union[RecordedCall, _Mapping]]] = ..., facts: _Optional[_Union[HookFacts, _Mapping]] = ..., code: _Optional[_Iterable[_Union[CodeShare, _Mapping]]] = ..., sources: _Optional[_Iterable[_Union[SourceText, _Mapping]]] = ..., predicted_lines: _Optional[_Iterable[_Union[PredictedLine, _Mapping]]] = ..., communication: _Optional[_Union[Communication, _Mapping]] = ..., checks: _Optional[_Iterable[_Union[Check, _Mapping]]] = ..., computing: _Optional[_Union[Computing, _Mapping]] = ..., faster_device_ns: _Optional[int] = ..., memory: _Optional[_Iterable[_Union[MemoryPeak, _Mapping]]] = ..., ranked: _Optional[_Union[Ranked, _Mapping]] = ..., gpu_use: _Optional[_Iterable[_Union[GpuUse, _Mapping]]] = ...) -> None: ...

class CollectiveTotal(_message.Message):
    __slots__ = ("kind", "group", "dtype", "count", "bytes_in", "bytes_out", "total_ns", "exposed_ns", "transfer_ns", "arrival_wait_ns", "algorithm_gb_s", "bus_gb_s", "on", "ranks", "group_size", "message_bytes", "shortest_ns", "longest_ns", "streams")
    KIND_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    BYTES_IN_FIELD_NUMBER: _ClassVar[int]
    BYTES_OUT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_NS_FIELD_NUMBER: _ClassVar[int]
    EXPOSED_NS_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_NS_FIELD_NUMBER: _ClassVar[int]
    ARRIVAL_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    ALGORITHM_GB_S_FIELD_NUMBER: _ClassVar[int]
    BUS_GB_S_FIELD_NUMBER: _ClassVar[int]
    ON_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    GROUP_SIZE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SHORTEST_NS_FIELD_NUMBER: _ClassVar[int]
    LONGEST_NS_FIELD_NUMBER: _ClassVar[int]
    STREAMS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    group: str
    dtype: str
    count: int
    bytes_in: int
    bytes_out: int
    total_ns: int
    exposed_ns: int
    transfer_ns: int
    arrival_wait_ns: int
    algorithm_gb_s: float
    bus_gb_s: float
    on: str
    ranks: str
    group_size: int
    message_bytes: int
    shortest_ns: int
    longest_ns: int
    streams: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, kind: _Optional[str] = ..., group: _Optional[str] = ..., dtype: _Optional[str] = ..., count: _Optional[int] = ..., bytes_in: _Optional[int] = ..., bytes_out: _Optional[int] = ..., total_ns: _Optional[int] = ..., exposed_ns: _Optional[int] = ..., transfer_ns: _Optional[int] = ..., arrival_wait_ns: _Optional[int] = ..., algorithm_gb_s: _Optional[float] = ..., bus_gb_s: _Optional[float] = ..., on: _Optional[str] = ..., ranks: _Optional[str] = ..., group_size: _Optional[int] = ..., message_bytes: _Optional[int] = ..., shortest_ns: _Optional[int] = ..., longest_ns: _Optional[int] = ..., streams: _Optional[_Iterable[int]] = ...) -> None: ...

class PeerTraffic(_message.Message):
    __slots__ = ("source", "destination", "count", "bytes")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    source: int
    destination: int
    count: int
    bytes: int
    def __init__(self, source: _Optional[int] = ..., destination: _Optional[int] = ..., count: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class CollectiveKey(_message.Message):
    __slots__ = ("kind", "group", "ranks", "group_size", "dtype", "bytes_in", "bytes_out")
    KIND_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    GROUP_SIZE_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    BYTES_IN_FIELD_NUMBER: _ClassVar[int]
    BYTES_OUT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    group: str
    ranks: str
    group_size: int
    dtype: str
    bytes_in: int
    bytes_out: int
    def __init__(self, kind: _Optional[str] = ..., group: _Optional[str] = ..., ranks: _Optional[str] = ..., group_size: _Optional[int] = ..., dtype: _Optional[str] = ..., bytes_in: _Optional[int] = ..., bytes_out: _Optional[int] = ...) -> None: ...

class StretchPart(_message.Message):
    __slots__ = ("kind", "cause", "name", "within", "site")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    WITHIN_FIELD_NUMBER: _ClassVar[int]
    SITE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    cause: str
    name: str
    within: str
    site: int
    def __init__(self, kind: _Optional[str] = ..., cause: _Optional[str] = ..., name: _Optional[str] = ..., within: _Optional[str] = ..., site: _Optional[int] = ...) -> None: ...

class RankSequence(_message.Message):
    __slots__ = ("device", "keys", "key", "number", "stream", "start_ns", "duration_ns", "stretch_ns", "parts", "part_begin", "part", "part_ns", "part_count", "left_out", "begin_ns", "step", "launched_ns", "host_wait_ns", "part_work")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    STRETCH_NS_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    PART_BEGIN_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    PART_NS_FIELD_NUMBER: _ClassVar[int]
    PART_COUNT_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    BEGIN_NS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    LAUNCHED_NS_FIELD_NUMBER: _ClassVar[int]
    HOST_WAIT_NS_FIELD_NUMBER: _ClassVar[int]
    PART_WORK_FIELD_NUMBER: _ClassVar[int]
    device: int
    keys: _containers.RepeatedCompositeFieldContainer[CollectiveKey]
    key: _containers.RepeatedScalarFieldContainer[int]
    number: _containers.RepeatedScalarFieldContainer[int]
    stream: _containers.RepeatedScalarFieldContainer[int]
    start_ns: _containers.RepeatedScalarFieldContainer[int]
    duration_ns: _containers.RepeatedScalarFieldContainer[int]
    stretch_ns: _containers.RepeatedScalarFieldContainer[int]
    parts: _containers.RepeatedCompositeFieldContainer[StretchPart]
    part_begin: _containers.RepeatedScalarFieldContainer[int]
    part: _containers.RepeatedScalarFieldContainer[int]
    part_ns: _containers.RepeatedScalarFieldContainer[int]
    part_count: _containers.RepeatedScalarFieldContainer[int]
    left_out: int
    begin_ns: int
    step: _containers.RepeatedScalarFieldContainer[int]
    launched_ns: _containers.RepeatedScalarFieldContainer[int]
    host_wait_ns: _containers.RepeatedScalarFieldContainer[int]
    part_work: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, device: _Optional[int] = ..., keys: _Optional[_Iterable[_Union[CollectiveKey, _Mapping]]] = ..., key: _Optional[_Iterable[int]] = ..., number: _Optional[_Iterable[int]] = ..., stream: _Optional[_Iterable[int]] = ..., start_ns: _Optional[_Iterable[int]] = ..., duration_ns: _Optional[_Iterable[int]] = ..., stretch_ns: _Optional[_Iterable[int]] = ..., parts: _Optional[_Iterable[_Union[StretchPart, _Mapping]]] = ..., part_begin: _Optional[_Iterable[int]] = ..., part: _Optional[_Iterable[int]] = ..., part_ns: _Optional[_Iterable[int]] = ..., part_count: _Optional[_Iterable[int]] = ..., left_out: _Optional[int] = ..., begin_ns: _Optional[int] = ..., step: _Optional[_Iterable[int]] = ..., launched_ns: _Optional[_Iterable[int]] = ..., host_wait_ns: _Optional[_Iterable[int]] = ..., part_work: _Optional[_Iterable[int]] = ...) -> None: ...

class Communication(_message.Message):
    __slots__ = ("exposed_ns", "overlapped_ns", "collectives", "peers", "sequence")
    EXPOSED_NS_FIELD_NUMBER: _ClassVar[int]
    OVERLAPPED_NS_FIELD_NUMBER: _ClassVar[int]
    COLLECTIVES_FIELD_NUMBER: _ClassVar[int]
    PEERS_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    exposed_ns: int
    overlapped_ns: int
    collectives: _containers.RepeatedCompositeFieldContainer[CollectiveTotal]
    peers: _containers.RepeatedCompositeFieldContainer[PeerTraffic]
    sequence: RankSequence
    def __init__(self, exposed_ns: _Optional[int] = ..., overlapped_ns: _Optional[int] = ..., collectives: _Optional[_Iterable[_Union[CollectiveTotal, _Mapping]]] = ..., peers: _Optional[_Iterable[_Union[PeerTraffic, _Mapping]]] = ..., sequence: _Optional[_Union[RankSequence, _Mapping]] = ...) -> None: ...

class Check(_message.Message):
    __slots__ = ("rule", "state", "finding", "needs", "numbers")
    class NumbersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Number
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Number, _Mapping]] = ...) -> None: ...
    RULE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    rule: str
    state: str
    finding: int
    needs: _containers.RepeatedScalarFieldContainer[str]
    numbers: _containers.MessageMap[str, Number]
    def __init__(self, rule: _Optional[str] = ..., state: _Optional[str] = ..., finding: _Optional[int] = ..., needs: _Optional[_Iterable[str]] = ..., numbers: _Optional[_Mapping[str, Number]] = ...) -> None: ...

class ComputingPart(_message.Message):
    __slots__ = ("kind", "device_ns", "covered_ns", "flops", "bytes", "limit_ns", "above_limit_ns")
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    COVERED_NS_FIELD_NUMBER: _ClassVar[int]
    FLOPS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_NS_FIELD_NUMBER: _ClassVar[int]
    ABOVE_LIMIT_NS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    device_ns: int
    covered_ns: int
    flops: int
    bytes: int
    limit_ns: int
    above_limit_ns: int
    def __init__(self, kind: _Optional[str] = ..., device_ns: _Optional[int] = ..., covered_ns: _Optional[int] = ..., flops: _Optional[int] = ..., bytes: _Optional[int] = ..., limit_ns: _Optional[int] = ..., above_limit_ns: _Optional[int] = ...) -> None: ...

class Computing(_message.Message):
    __slots__ = ("device", "device_ns", "computing_ns", "covered_ns", "flops", "bytes", "limit_ns", "above_limit_ns", "reached_tflops", "limit_tflops", "mfu", "uncovered_share", "parts")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NS_FIELD_NUMBER: _ClassVar[int]
    COMPUTING_NS_FIELD_NUMBER: _ClassVar[int]
    COVERED_NS_FIELD_NUMBER: _ClassVar[int]
    FLOPS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_NS_FIELD_NUMBER: _ClassVar[int]
    ABOVE_LIMIT_NS_FIELD_NUMBER: _ClassVar[int]
    REACHED_TFLOPS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_TFLOPS_FIELD_NUMBER: _ClassVar[int]
    MFU_FIELD_NUMBER: _ClassVar[int]
    UNCOVERED_SHARE_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    device: str
    device_ns: int
    computing_ns: int
    covered_ns: int
    flops: int
    bytes: int
    limit_ns: int
    above_limit_ns: int
    reached_tflops: float
    limit_tflops: float
    mfu: float
    uncovered_share: float
    parts: _containers.RepeatedCompositeFieldContainer[ComputingPart]
    def __init__(self, device: _Optional[str] = ..., device_ns: _Optional[int] = ..., computing_ns: _Optional[int] = ..., covered_ns: _Optional[int] = ..., flops: _Optional[int] = ..., bytes: _Optional[int] = ..., limit_ns: _Optional[int] = ..., above_limit_ns: _Optional[int] = ..., reached_tflops: _Optional[float] = ..., limit_tflops: _Optional[float] = ..., mfu: _Optional[float] = ..., uncovered_share: _Optional[float] = ..., parts: _Optional[_Iterable[_Union[ComputingPart, _Mapping]]] = ...) -> None: ...

class GraphBreak(_message.Message):
    __slots__ = ("file", "line", "function", "reason", "count")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    reason: str
    count: int
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., reason: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class Recompilation(_message.Message):
    __slots__ = ("file", "line", "function", "reason", "count", "compile_ns")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    COMPILE_NS_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    reason: str
    count: int
    compile_ns: int
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., reason: _Optional[str] = ..., count: _Optional[int] = ..., compile_ns: _Optional[int] = ...) -> None: ...

class CompilerFacts(_message.Message):
    __slots__ = ("graphs", "operations", "breaks", "recompilations", "given_up", "cudagraph_skips", "cudagraph_reasons")
    GRAPHS_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    BREAKS_FIELD_NUMBER: _ClassVar[int]
    RECOMPILATIONS_FIELD_NUMBER: _ClassVar[int]
    GIVEN_UP_FIELD_NUMBER: _ClassVar[int]
    CUDAGRAPH_SKIPS_FIELD_NUMBER: _ClassVar[int]
    CUDAGRAPH_REASONS_FIELD_NUMBER: _ClassVar[int]
    graphs: int
    operations: int
    breaks: _containers.RepeatedCompositeFieldContainer[GraphBreak]
    recompilations: _containers.RepeatedCompositeFieldContainer[Recompilation]
    given_up: _containers.RepeatedScalarFieldContainer[str]
    cudagraph_skips: int
    cudagraph_reasons: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, graphs: _Optional[int] = ..., operations: _Optional[int] = ..., breaks: _Optional[_Iterable[_Union[GraphBreak, _Mapping]]] = ..., recompilations: _Optional[_Iterable[_Union[Recompilation, _Mapping]]] = ..., given_up: _Optional[_Iterable[str]] = ..., cudagraph_skips: _Optional[int] = ..., cudagraph_reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoryPeak(_message.Message):
    __slots__ = ("device", "events", "peak_bytes", "peak_ns", "step", "reserved_bytes", "is_recorded")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PEAK_BYTES_FIELD_NUMBER: _ClassVar[int]
    PEAK_NS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    RESERVED_BYTES_FIELD_NUMBER: _ClassVar[int]
    IS_RECORDED_FIELD_NUMBER: _ClassVar[int]
    device: str
    events: int
    peak_bytes: int
    peak_ns: int
    step: int
    reserved_bytes: int
    is_recorded: bool
    def __init__(self, device: _Optional[str] = ..., events: _Optional[int] = ..., peak_bytes: _Optional[int] = ..., peak_ns: _Optional[int] = ..., step: _Optional[int] = ..., reserved_bytes: _Optional[int] = ..., is_recorded: bool = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("findings", "saving", "total_ns", "ways")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    TOTAL_NS_FIELD_NUMBER: _ClassVar[int]
    WAYS_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedScalarFieldContainer[int]
    saving: Saving
    total_ns: int
    ways: _containers.RepeatedCompositeFieldContainer[Way]
    def __init__(self, findings: _Optional[_Iterable[int]] = ..., saving: _Optional[_Union[Saving, _Mapping]] = ..., total_ns: _Optional[int] = ..., ways: _Optional[_Iterable[_Union[Way, _Mapping]]] = ...) -> None: ...

class Ranked(_message.Message):
    __slots__ = ("actions", "smaller", "unknown", "leave")
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    SMALLER_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[Action]
    smaller: _containers.RepeatedCompositeFieldContainer[Action]
    unknown: _containers.RepeatedScalarFieldContainer[int]
    leave: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ..., smaller: _Optional[_Iterable[_Union[Action, _Mapping]]] = ..., unknown: _Optional[_Iterable[int]] = ..., leave: _Optional[_Iterable[int]] = ...) -> None: ...

class GpuUse(_message.Message):
    __slots__ = ("device", "utilization", "sm_efficiency", "occupancy", "steps")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    UTILIZATION_FIELD_NUMBER: _ClassVar[int]
    SM_EFFICIENCY_FIELD_NUMBER: _ClassVar[int]
    OCCUPANCY_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    device: int
    utilization: float
    sm_efficiency: float
    occupancy: float
    steps: int
    def __init__(self, device: _Optional[int] = ..., utilization: _Optional[float] = ..., sm_efficiency: _Optional[float] = ..., occupancy: _Optional[float] = ..., steps: _Optional[int] = ...) -> None: ...

class Way(_message.Message):
    __slots__ = ("findings", "saving")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    SAVING_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedScalarFieldContainer[int]
    saving: Saving
    def __init__(self, findings: _Optional[_Iterable[int]] = ..., saving: _Optional[_Union[Saving, _Mapping]] = ...) -> None: ...

class GarbageCollections(_message.Message):
    __slots__ = ("start_ns", "duration_ns", "thread")
    START_NS_FIELD_NUMBER: _ClassVar[int]
    DURATION_NS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    start_ns: _containers.RepeatedScalarFieldContainer[int]
    duration_ns: _containers.RepeatedScalarFieldContainer[int]
    thread: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, start_ns: _Optional[_Iterable[int]] = ..., duration_ns: _Optional[_Iterable[int]] = ..., thread: _Optional[_Iterable[int]] = ...) -> None: ...
