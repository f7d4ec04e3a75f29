"""What settings of a PostgreSQL tell of who came when, and how to turn each off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from server.collection.web.checkup_line import Line, line


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Settings that belong together.

    Attributes
    ----------
    code : str
        Of the line.
    wanted : mapping
        Name of a setting -> its value; empty for one that is there only with a library that is loaded.
    good, tells, fix : str
        What is well, what another value tells, and the remedy.
    warning : bool
        Whether it is but something to think about.
    """

    code: str
    wanted: Mapping[str, str]
    good: str
    tells: str
    fix: str
    warning: bool = False


RULES: Final = (
    Rule(
        code="database-durability",
        wanted={"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"},
        good="PostgreSQL writes through to the disk.",
        tells="A power cut can lose answers that were acknowledged",
        fix="In postgresql.conf: fsync = on, full_page_writes = on and synchronous_commit = on; reload.",
    ),
    Rule(
        code="database-times",
        wanted={"track_commit_timestamp": "off"},
        good="PostgreSQL keeps no time of a transaction.",
        tells="PostgreSQL keeps the time of every transaction",
        fix="In postgresql.conf: track_commit_timestamp = off; restart, and remove what is in pg_commit_ts.",
    ),
    Rule(
        code="database-copies",
        wanted={"archive_mode": "off", "replication_slots": "0", "replicas": "0"},
        good="Nobody keeps PostgreSQL's write-ahead log.",
        tells="Whoever has an archive of the log, a slot or a replica has every answer with its time",
        fix="archive_mode = off; drop each slot (pg_drop_replication_slot); end replicas, or run them only"
        " where nobody else may look, without an archive.",
    ),
    Rule(
        code="database-replication",
        wanted={"wal_level": "minimal", "max_wal_senders": "0"},
        good="Nobody can follow PostgreSQL's write-ahead log.",
        tells="Whoever may replicate can follow every answer as it comes",
        fix="In postgresql.conf: wal_level = minimal and max_wal_senders = 0; restart.",
        warning=True,
    ),
    Rule(
        code="database-wal",
        wanted={"wal_recycle": "off", "pg_switch_wal": "granted", "pg_checkpoint": "granted"},
        good="The write-ahead log is ended where answers are forgotten, and its old segments are deleted.",
        tells="The write-ahead log keeps answers for long after their deletion",
        fix="In postgresql.conf: wal_recycle = off and min_wal_size = 32MB; and the two grants of the"
        " operator's guide.",
        warning=True,
    ),
    Rule(
        code="database-log",
        wanted={
            "log_statement": "none", "log_duration": "off", "log_min_duration_statement": "-1",
            "log_min_duration_sample": "-1", "log_transaction_sample_rate": "0",
            "log_parameter_max_length_on_error": "0",
        },
        good="PostgreSQL's log has no statement of an answer.",
        tells="PostgreSQL's log can have answers with their times",
        fix="In postgresql.conf: the log settings of the operator's guide; reload, and delete the old log.",
    ),
    Rule(
        code="database-log-load",
        wanted={"log_checkpoints": "off", "log_lock_waits": "off", "log_autovacuum_min_duration": "-1"},
        good="PostgreSQL's log does not tell when much was written.",
        tells="PostgreSQL's log tells how much was written when",
        fix="In postgresql.conf: log_checkpoints = off, log_lock_waits = off and"
        " log_autovacuum_min_duration = -1; reload.",
        warning=True,
    ),
    Rule(
        code="database-libraries",
        wanted={"auto_explain.log_min_duration": "", "pgaudit.log": "", "pg_stat_statements.track": ""},
        good="No library counts or logs statements.",
        tells="A library logs statements, or counts them: who reads the counts twice knows who came between",
        fix="Take auto_explain, pgaudit and pg_stat_statements out of shared_preload_libraries; restart, and"
        " delete what they kept.",
    ),
)  # fmt: skip


def postgres_lines(found: Mapping[str, int | str]) -> Iterator[Line]:
    """A line for each rule; `found` is what the server says of its settings."""
    for rule in RULES:
        other = [
            f"{name} = {found[name]}" for name, value in rule.wanted.items() if str(found[name]) != value
        ]
        told = f"{rule.tells}: {', '.join(other)}."
        yield line(rule.code, not other, rule.good, told, rule.fix, warning=rule.warning)
