"""Small exports of Nsight Systems, by the tables and columns of its release 2024.6."""

from __future__ import annotations

import sqlite3
from pathlib import Path

GLOBAL_PID = (1 << 48) | (77 << 24)
OTHER_PID = (1 << 48) | (78 << 24)

_SCHEMA = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, cuDevice INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL,
    nameEnum INTEGER NOT NULL, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL,
    registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL,
    gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL,
    staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
    eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
    returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
    globalTid INTEGER, textId INTEGER, domainId INTEGER);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'),
    (3, 'cudaStreamSynchronize_v3020'), (4, 'void gemm<float>(float*)'), (5, 'gemm'), (6, 'main');
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1752215573000000000, '', '');
INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H100', 0);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 0, 'node.one');
"""


def write_export(path: Path, processes: tuple[int, ...] = (GLOBAL_PID,), num_steps: int = 3) -> Path:
    """Steps of one kernel, a readback to pageable memory and the synchronize behind it."""
    connection = sqlite3.connect(path)
    connection.executescript(_SCHEMA)
    for process in processes:
        for step in range(num_steps):
            _add_step(connection, process, step)
    connection.commit()
    connection.close()
    return path


def _add_step(connection: sqlite3.Connection, process: int, step: int) -> None:
    thread, at, first = process | 5, 1_000_000 * (step + 1), 10 * step
    calls = [
        (at, at + 5_000, first, 1),
        (at + 6_000, at + 9_000, first + 1, 2),
        (at + 9_500, at + 300_000, first + 2, 3),
    ]
    connection.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)",
        [(start, end, thread, correlation, name) for start, end, correlation, name in calls],
    )
    connection.execute(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
        " (?, ?, 0, 1, 7, ?, ?, 4, 5, 32, 8, 4, 1, 128, 1, 1, 0, 64)",
        (at + 10_000, at + 250_001, first, process),
    )
    connection.execute(
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 7, ?, ?, 4, 2, 2, 0)",
        (at + 260_000, at + 262_000, first + 1, process),
    )
    connection.execute(
        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?, ?, 0, 1, 7, ?, ?, 3, 0)",
        (at + 9_600, at + 299_000, first + 2, process),
    )
    connection.execute(
        "INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)",
        (at - 100, at + 900_000, f"step {step}", thread),
    )
