"""Every command as a function, for whatever shows Clew: a terminal, a program, a page, a protocol.

A function takes and returns records. What it cannot do it raises, as an error of
`clew.words.errors` with what to do next. It prints nothing and asks nobody: a question that a
session waits with stands in its status, and `answer` answers it, now or after a restart. Whoever
wants to look on while a session is worked on hands in a `Watcher`.

`sessions` is always what `sessions_at` returns for a project, and `name` the id of a session, the
start of one, or None for the session that was last worked on; `session` is a whole id. One process
may hold several projects; one `ProjectSessions` belongs to one thread.

Each name is loaded when it is first asked for, so that whoever only looks does not wait for what
work takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.agents import unconfined_agents as unconfined_agents
    from clew.agents import unused_models as unused_models
    from clew.agents.recording import RecordedCall as RecordedCall
    from clew.agents.survey import AgentStatus as AgentStatus
    from clew.analysis.bisecting import FirstBad as FirstBad
    from clew.analysis.bisecting import TryCommit as TryCommit
    from clew.analysis.flakes.history import FlakeHistory as FlakeHistory
    from clew.analysis.spending import Tally as Tally
    from clew.analysis.spending import by_agent as by_agent
    from clew.api.agent_survey import PromptTemplate as PromptTemplate
    from clew.api.agent_survey import agents as agents
    from clew.api.agent_survey import copy_prompt as copy_prompt
    from clew.api.agent_survey import prompt_template as prompt_template
    from clew.api.agent_survey import prompts as prompts
    from clew.api.agent_survey import recording as recording
    from clew.api.carrying_out import PlanCheckpoint as PlanCheckpoint
    from clew.api.carrying_out import draft_plan as draft_plan
    from clew.api.carrying_out import fork_plan as fork_plan
    from clew.api.carrying_out import plan_checkpoints as plan_checkpoints
    from clew.api.carrying_out import revise_plan as revise_plan
    from clew.api.carrying_out import run_plan as run_plan
    from clew.api.chains import ChainBegun as ChainBegun
    from clew.api.chains import ChainStatus as ChainStatus
    from clew.api.chains import HandOffRefused as HandOffRefused
    from clew.api.chains import chain_log as chain_log
    from clew.api.chains import chain_status as chain_status
    from clew.api.chains import next_workflow as next_workflow
    from clew.api.chains import start_chain as start_chain
    from clew.api.chains import stop_chains as stop_chains
    from clew.api.checkpointing import SavedCheckpoint as SavedCheckpoint
    from clew.api.checkpointing import checkpoint as checkpoint
    from clew.api.checkpointing import checkpoints as checkpoints
    from clew.api.debug_sessions import DebugRow as DebugRow
    from clew.api.debug_sessions import clean_up_debug as clean_up_debug
    from clew.api.debug_sessions import close_debug as close_debug
    from clew.api.debug_sessions import continue_debug as continue_debug
    from clew.api.debug_sessions import debug as debug
    from clew.api.debug_sessions import debug_after as debug_after
    from clew.api.debug_sessions import debug_document as debug_document
    from clew.api.debug_sessions import debug_sessions_of as debug_sessions_of
    from clew.api.debug_sessions import debug_summary as debug_summary
    from clew.api.debug_sessions import reopen_debug as reopen_debug
    from clew.api.debug_sessions import search_knowledge as search_knowledge
    from clew.api.debug_sessions import symptoms_in as symptoms_in
    from clew.api.escalations import NextSteps as NextSteps
    from clew.api.escalations import next_steps as next_steps
    from clew.api.evaluating import bench as bench
    from clew.api.evaluating import has_died as has_died
    from clew.api.evaluating import try_agent as try_agent
    from clew.api.failures import AgentContext as AgentContext
    from clew.api.failures import context as context
    from clew.api.failures import evidence as evidence
    from clew.api.failures import flakes as flakes
    from clew.api.failures import session_context as session_context
    from clew.api.failures import session_evidence as session_evidence
    from clew.api.faults import keep_fault as keep_fault
    from clew.api.fixing import fix as fix
    from clew.api.gating import GatesReport as GatesReport
    from clew.api.gating import gates as gates
    from clew.api.gating import gates_listed as gates_listed
    from clew.api.hooks import HookFinding as HookFinding
    from clew.api.hooks import examine_hooks as examine_hooks
    from clew.api.hooks import install_hooks as install_hooks
    from clew.api.hooks import uninstall_hooks as uninstall_hooks
    from clew.api.looking import SessionDiff as SessionDiff
    from clew.api.looking import SessionRow as SessionRow
    from clew.api.looking import changed_files as changed_files
    from clew.api.looking import diff as diff
    from clew.api.looking import events as events
    from clew.api.looking import follow as follow
    from clew.api.looking import is_applied as is_applied
    from clew.api.looking import list_sessions as list_sessions
    from clew.api.looking import patch as patch
    from clew.api.looking import proof as proof
    from clew.api.looking import report as report
    from clew.api.looking import status as status
    from clew.api.machine import Finding as Finding
    from clew.api.machine import examine as examine
    from clew.api.plans import CheckedPlan as CheckedPlan
    from clew.api.plans import approvals_of as approvals_of
    from clew.api.plans import approve_plan as approve_plan
    from clew.api.plans import check_plan as check_plan
    from clew.api.plans import learnings as learnings
    from clew.api.plans import new_plan as new_plan
    from clew.api.plans import write_out as write_out
    from clew.api.projects import sessions_at as sessions_at
    from clew.api.projects import settings_for as settings_for
    from clew.api.projects import settings_in as settings_in
    from clew.api.summaries import ClaimSummary as ClaimSummary
    from clew.api.summaries import LeftOutFile as LeftOutFile
    from clew.api.summaries import ProofSummary as ProofSummary
    from clew.api.summaries import SessionSummary as SessionSummary
    from clew.api.summaries import SpentSummary as SpentSummary
    from clew.api.summaries import summary_of as summary_of
    from clew.api.working import answer as answer
    from clew.api.working import apply as apply
    from clew.api.working import pause as pause
    from clew.api.working import resume as resume
    from clew.api.working import rollback as rollback
    from clew.api.working import take_back as take_back
    from clew.api.working import terminate as terminate
    from clew.api.working import work_on as work_on
    from clew.documents.knowledge import Match as Match
    from clew.documents.plans.pictures import mermaid as mermaid
    from clew.documents.plans.pictures import svg as svg
    from clew.documents.views import IterationView as IterationView
    from clew.evaluation.agent_trials import AgentTrial as AgentTrial
    from clew.evaluation.agent_trials import RoleTrial as RoleTrial
    from clew.evaluation.counting import PairedTasks as PairedTasks
    from clew.evaluation.counting import Rate as Rate
    from clew.evaluation.plots import draw as draw
    from clew.evaluation.records import BenchRun as BenchRun
    from clew.evaluation.records import TaskOutcome as TaskOutcome
    from clew.evaluation.records import read_run as read_run
    from clew.evaluation.seeding import seed_faults as seed_faults
    from clew.evaluation.summaries import TOPS as TOPS
    from clew.evaluation.summaries import BenchSummary as BenchSummary
    from clew.evaluation.summaries import Contrast as Contrast
    from clew.evaluation.summaries import contrast as contrast
    from clew.evaluation.summaries import grouped as grouped
    from clew.evaluation.summaries import summarise as summarise
    from clew.evidence.records import Evidence as Evidence
    from clew.flows.debugging.bisection import Bisection as Bisection
    from clew.flows.debugging.bisection import BisectionEnd as BisectionEnd
    from clew.flows.debugging.bisection import BisectRequest as BisectRequest
    from clew.flows.debugging.bisection import SearchGround as SearchGround
    from clew.flows.debugging.bisection import bisect as bisect
    from clew.flows.debugging.diagnosing import CalledFlaky as CalledFlaky
    from clew.flows.debugging.diagnosing import FailureDiagnosis as FailureDiagnosis
    from clew.flows.debugging.diagnosing import diagnose as diagnose
    from clew.flows.debugging.diagnosing import last_diagnosis as last_diagnosis
    from clew.flows.debugging.diagnosing import only_agent as only_agent
    from clew.flows.debugging.driver import iteration_views as iteration_views
    from clew.flows.debugging.localizing import localize as localize
    from clew.flows.debugging.minimizing import CallParting as CallParting
    from clew.flows.debugging.minimizing import MinimizedTest as MinimizedTest
    from clew.flows.debugging.minimizing import minimize as minimize
    from clew.flows.debugging.pipeline import EarlierRun as EarlierRun
    from clew.flows.debugging.pipeline import KeptArtefacts as KeptArtefacts
    from clew.flows.debugging.pipeline import clear_artefacts as clear_artefacts
    from clew.flows.debugging.pipeline import keep_artefacts as keep_artefacts
    from clew.flows.debugging.pipeline import read_earlier_run as read_earlier_run
    from clew.flows.debugging.sessions import Whereabouts as Whereabouts
    from clew.flows.debugging.sessions import exit_code as exit_code
    from clew.flows.debugging.sessions import load_state as load_state
    from clew.flows.debugging.sessions import whereabouts as whereabouts
    from clew.flows.debugging.states import Stage as Stage
    from clew.flows.debugging.states import State as State
    from clew.flows.debugging.states import fold as fold
    from clew.flows.debugging.working import check_rival as check_rival
    from clew.flows.debugging.working import check_settings as check_settings
    from clew.flows.debugging.working import earlier_session as earlier_session
    from clew.flows.investigation.events import DebugAsked as DebugAsked
    from clew.flows.investigation.events import DebugOpened as DebugOpened
    from clew.flows.investigation.events import FiledAway as FiledAway
    from clew.flows.investigation.events import Investigated as Investigated
    from clew.flows.investigation.events import KnowledgeConsulted as KnowledgeConsulted
    from clew.flows.investigation.events import PlanWritten as PlanWritten
    from clew.flows.investigation.events import Reproduce as Reproduce
    from clew.flows.investigation.events import Reproduced as Reproduced
    from clew.flows.investigation.events import SpecialistReviewed as SpecialistReviewed
    from clew.flows.investigation.events import TestSeen as TestSeen
    from clew.flows.investigation.events import TestWritten as TestWritten
    from clew.flows.investigation.working import DebugRequest as DebugRequest
    from clew.flows.plan.archiving import archive as archive
    from clew.flows.plan.drafting import PlanDraft as PlanDraft
    from clew.flows.plan.events import ArchiveMove as ArchiveMove
    from clew.flows.plan.events import AskPlanner as AskPlanner
    from clew.flows.plan.events import AskSupervisor as AskSupervisor
    from clew.flows.plan.events import GatesRan as GatesRan
    from clew.flows.plan.events import PairFound as PairFound
    from clew.flows.plan.events import PhaseMerged as PhaseMerged
    from clew.flows.plan.events import PlanAsked as PlanAsked
    from clew.flows.plan.events import PlanChanged as PlanChanged
    from clew.flows.plan.events import PlanProposed as PlanProposed
    from clew.flows.plan.events import Supervised as Supervised
    from clew.flows.plan.forecasting import Forecast as Forecast
    from clew.flows.plan.forecasting import forecast as forecast
    from clew.flows.plan.importing import export as export
    from clew.flows.plan.importing import import_document as import_document
    from clew.git.project import Project as Project
    from clew.git.worktrees import Applied as Applied
    from clew.git.worktrees import ChangeKind as ChangeKind
    from clew.git.worktrees import TreeChange as TreeChange
    from clew.git.worktrees import path_text as path_text
    from clew.handoff.records import Chain as Chain
    from clew.handoff.table import HANDOFFS as HANDOFFS
    from clew.handoff.table import NextWorkflow as NextWorkflow
    from clew.journal.store import Holder as Holder
    from clew.journal.store import Store as Store
    from clew.journal.store import state_folder as state_folder
    from clew.journal.streams import ListedSession as ListedSession
    from clew.sessions import Delivery as Delivery
    from clew.sessions import ProjectSessions as ProjectSessions
    from clew.sessions import SessionStatus as SessionStatus
    from clew.sessions import Unwatched as Unwatched
    from clew.sessions import Watcher as Watcher
    from clew.sessions.plans import PlanApproval as PlanApproval
    from clew.sessions.recovery import Recovered as Recovered
    from clew.sessions.recovery import recover as recover
    from clew.words.debug_sessions import Aim as Aim
    from clew.words.debug_sessions import DebugDocument as DebugDocument
    from clew.words.debug_sessions import Symptoms as Symptoms
    from clew.words.lessons import Lesson as Lesson

SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "A project": {
        "clew.api.projects": ("sessions_at", "settings_for", "settings_in"),
        "clew.sessions": ("ProjectSessions",),
        "clew.git.project": ("Project",),
    },
    "Work": {
        "clew.api.fixing": ("fix",),
        "clew.flows.debugging.working": ("check_rival", "check_settings", "earlier_session"),
        "clew.api.working": (
            *(
                "resume",
                "answer",
                "rollback",
                "terminate",
                "pause",
                "apply",
                "take_back",
                "work_on",
            ),
        ),
        "clew.flows.debugging.pipeline": (
            *("clear_artefacts", "read_earlier_run", "keep_artefacts"),
            *("EarlierRun", "KeptArtefacts"),
        ),
        "clew.sessions": ("Watcher", "Unwatched", "Delivery"),
        "clew.git.worktrees": ("Applied", "path_text"),
    },
    "See what was done": {
        "clew.api.looking": (
            *("list_sessions", "status", "events", "follow", "diff", "patch", "changed_files"),
            *("proof", "report", "is_applied", "SessionRow", "SessionDiff"),
        ),
        "clew.api.checkpointing": ("checkpoints", "checkpoint", "SavedCheckpoint"),
        "clew.api.escalations": ("next_steps", "NextSteps"),
        "clew.flows.debugging.driver": ("iteration_views",),
        "clew.documents.views": ("IterationView",),
        "clew.api.agent_survey": ("recording",),
        "clew.agents.recording": ("RecordedCall",),
        "clew.api.summaries": (
            *("summary_of", "SessionSummary", "ProofSummary", "ClaimSummary", "SpentSummary"),
            *("LeftOutFile",),
        ),
        "clew.sessions": ("SessionStatus",),
        "clew.flows.debugging.sessions": (
            *("load_state", "exit_code", "whereabouts", "Whereabouts"),
        ),
        "clew.flows.debugging.states": ("State", "Stage", "fold"),
        "clew.analysis.spending": ("by_agent", "Tally"),
        "clew.git.worktrees": ("TreeChange", "ChangeKind"),
        "clew.journal.store": ("Holder",),
        "clew.journal.streams": ("ListedSession",),
    },
    "Look into a failure": {
        "clew.flows.debugging.diagnosing": (
            "diagnose",
            "last_diagnosis",
            "only_agent",
            "FailureDiagnosis",
            "CalledFlaky",
        ),
        "clew.flows.debugging.localizing": ("localize",),
        "clew.flows.debugging.minimizing": ("minimize", "MinimizedTest", "CallParting"),
        "clew.api.failures": (
            *("evidence", "session_evidence", "context", "session_context", "flakes"),
            *("AgentContext",),
        ),
        "clew.evidence.records": ("Evidence",),
        "clew.analysis.flakes.history": ("FlakeHistory",),
        "clew.flows.debugging.bisection": (
            *("bisect", "BisectRequest", "Bisection", "BisectionEnd", "SearchGround"),
        ),
        "clew.analysis.bisecting": ("FirstBad", "TryCommit"),
    },
    "Debug a symptom": {
        "clew.api.debug_sessions": (
            *("debug", "continue_debug", "close_debug", "reopen_debug", "clean_up_debug"),
            "debug_after",
            *("debug_sessions_of", "debug_document", "debug_summary", "symptoms_in"),
            *("search_knowledge", "DebugRow"),
        ),
        "clew.flows.investigation.working": ("DebugRequest",),
        "clew.documents.knowledge": ("Match",),
        "clew.words.debug_sessions": ("Aim", "Symptoms", "DebugDocument"),
        "clew.flows.investigation.events": (
            *("DebugAsked", "DebugOpened", "FiledAway", "Investigated"),
            *("KnowledgeConsulted", "PlanWritten", "Reproduce", "Reproduced", "TestSeen"),
            *("TestWritten", "SpecialistReviewed"),
        ),
    },
    "Work by a plan": {
        "clew.api.plans": (
            *("check_plan", "approvals_of", "new_plan", "approve_plan", "write_out"),
            *("CheckedPlan", "learnings"),
        ),
        "clew.words.lessons": ("Lesson",),
        "clew.sessions.plans": ("PlanApproval",),
        "clew.documents.plans.pictures": ("mermaid", "svg"),
        "clew.api.carrying_out": (
            *("draft_plan", "run_plan", "revise_plan", "fork_plan", "plan_checkpoints"),
            "PlanCheckpoint",
        ),
        "clew.flows.plan.drafting": ("PlanDraft",),
        "clew.flows.plan.importing": ("import_document", "export"),
        "clew.flows.plan.archiving": ("archive",),
        "clew.flows.plan.forecasting": ("Forecast", "forecast"),
        "clew.flows.plan.events": (
            *("AskSupervisor", "AskPlanner", "GatesRan", "PhaseMerged", "PlanAsked", "PlanChanged"),
            *("PairFound", "PlanProposed", "Supervised", "ArchiveMove"),
        ),
    },
    "Check a result": {
        "clew.api.gating": ("gates", "gates_listed", "GatesReport"),
    },
    "Agents": {
        "clew.api.agent_survey": (
            *("agents", "prompts", "prompt_template", "copy_prompt", "PromptTemplate"),
        ),
        "clew.agents": ("unconfined_agents", "unused_models"),
        "clew.agents.survey": ("AgentStatus",),
        "clew.api.evaluating": ("try_agent", "bench", "has_died"),
        "clew.evaluation.agent_trials": ("AgentTrial", "RoleTrial"),
        "clew.evaluation.records": ("read_run", "BenchRun", "TaskOutcome"),
        "clew.evaluation.counting": ("PairedTasks", "Rate"),
        "clew.evaluation.summaries": (
            "contrast",
            "grouped",
            "summarise",
            "BenchSummary",
            "Contrast",
            "TOPS",
        ),
        "clew.evaluation.plots": ("draw",),
        "clew.evaluation.seeding": ("seed_faults",),
    },
    "Sessions that hand off": {
        "clew.api.chains": (
            *("chain_status", "chain_log", "start_chain", "stop_chains", "next_workflow"),
            *("ChainStatus", "ChainBegun", "HandOffRefused"),
        ),
        "clew.handoff.table": ("HANDOFFS", "NextWorkflow"),
        "clew.handoff.records": ("Chain",),
        "clew.api.hooks": ("install_hooks", "uninstall_hooks", "examine_hooks", "HookFinding"),
    },
    "This machine": {
        "clew.api.machine": ("examine", "Finding"),
        "clew.api.faults": ("keep_fault",),
        "clew.sessions.recovery": ("recover", "Recovered"),
        "clew.journal.store": ("state_folder", "Store"),
    },
}
"""What there is, by purpose: the modules that it is in, and its names there."""

_HOMES = {
    name: home for homes in SECTIONS.values() for home, names in homes.items() for name in names
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(_HOMES)
