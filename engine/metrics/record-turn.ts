import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { MetricsState } from '../core/state/metrics-slice.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { NO_ANSWER, OPEN_USER, type TurnDraft, type TurnEnd, type UserDraft } from '../core/state/turn-draft.ts';
import type { JournalEntry } from '../ports/journal.ts';
import { turnRecord } from './turn-record.ts';
import { recordStages, recordTools } from './turn-stages.ts';

/**
 * Keeps the records of the turns. Runs after every rule and reads what the rule has changed, so no other rule has to
 * report a stage.
 *
 * @param before the context before the rule
 */
export function recordTurn(before: CallContext, step: RuleStep): void {
  const { counters, reply, runningTools, userTurn } = step.context;
  if (counters.turn !== before.counters.turn) recordCommit(before, step);
  else if (reply !== before.reply) recordWithdrawal(before, step);
  if (reply !== null && reply.number !== before.reply?.number) recordReply(step, reply);
  if (reply !== before.reply && reply !== null) {
    recordEnd(step, reply);
    recordStages(step, reply);
  }
  if (runningTools !== before.runningTools) recordTools(before, step);
  if (userTurn !== before.userTurn) forgetNoise(step);
}

/** The last turn ends with the call. */
export function closeLastTurn(step: RuleStep): void {
  const { metrics } = step.context;
  const entry = lastTurn(metrics);
  if (entry === null) return;
  step.command({ type: 'journal.write', entry });
  changeMetrics(step, { turns: [...metrics.turns, entry.record], currentTurn: null });
}

/** The last record of a turn; null if nothing is left to write. */
export function lastTurn({ currentTurn }: MetricsState): Extract<JournalEntry, { readonly type: 'turn' }> | null {
  if (currentTurn === null || isUnheard(currentTurn)) return null;
  return { type: 'turn', record: turnRecord(currentTurn), isClosed: true };
}

/** A reply that answered no user turn and was dropped before its first packet. */
function isUnheard({ user, heardUs, interrupted, falseInterruptions }: TurnDraft): boolean {
  return user === null && heardUs === null && !interrupted && falseInterruptions === 0;
}

function changeMetrics(step: RuleStep, changed: Partial<MetricsState>): void {
  step.change({ metrics: { ...step.context.metrics, ...changed } });
}

/** A turn begins: the one before it is closed. */
function beginTurn(step: RuleStep, draft: TurnDraft): void {
  closeLastTurn(step);
  const turnCount = step.context.metrics.turnCount + 1;
  changeMetrics(step, { currentTurn: { ...draft, number: turnCount }, turnCount });
}

function newDraft(step: RuleStep, user: UserDraft | null): TurnDraft {
  return {
    ...NO_ANSWER,
    number: 0,
    startedUs: step.nowUs,
    user,
    askedUs: [],
    fillersUs: [],
    tools: [],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
  };
}

function recordCommit(before: CallContext, step: RuleStep): void {
  const { counters, lastTurn, metrics, reply } = step.context;
  const draft = metrics.pendingTurn ?? newDraft(step, OPEN_USER);
  const user = draft.user ?? OPEN_USER;
  const turn = reply?.turn?.number === counters.turn ? reply.turn : null;
  const endedUs = turn?.endedUs ?? user.endedUs ?? step.nowUs;
  const committed: UserDraft = {
    ...user,
    turn: counters.turn,
    sequence: lastTurn === before.lastTurn ? null : (lastTurn?.entry.sequence ?? null),
    end: user.endedUs === null ? endOf(before, step) : user.end,
    speechEndedUs: turn?.speechEndedUs ?? user.speechEndedUs ?? before.userTurn.endedUs ?? endedUs,
    endedUs,
    committedUs: step.nowUs,
  };
  changeMetrics(step, { pendingTurn: null });
  beginTurn(step, { ...draft, user: committed });
}

/** The committed turn goes on, with the same record: no word of its answer was heard. */
export function reopenRecord(step: RuleStep): void {
  const { currentTurn, turnCount } = step.context.metrics;
  if (currentTurn?.user == null) return;
  const user = { ...currentTurn.user, reopened: currentTurn.user.reopened + 1, end: null, endedUs: null };
  const pendingTurn = { ...currentTurn, ...NO_ANSWER, user };
  changeMetrics(step, { currentTurn: null, pendingTurn, turnCount: turnCount - 1 });
}

/** The end of a turn that was committed at once. */
function endOf({ decidedEnd, dtmf, endReason, reply, userTurn }: CallContext, step: RuleStep): TurnEnd {
  if (userTurn.complete && userTurn.end !== null) return userTurn.end;
  const by = () => {
    if (dtmf.entries.length > 0 || dtmf.openEntry !== null) return 'dtmf';
    const isEnding = endReason !== null || decidedEnd !== null || step.event.type === 'engine.conversation_over';
    return isEnding || (reply !== null && reply.followUp.type !== 'listen') ? 'call_end' : 'other';
  };
  return { by: by(), score: null, reasons: [] };
}

/** The answer to the pending turn was withdrawn: the user goes on. */
function recordWithdrawal({ reply: earlier }: CallContext, step: RuleStep): void {
  const { metrics, reply } = step.context;
  const draft = metrics.pendingTurn;
  if (draft?.user == null || earlier?.pending == null || reply?.number === earlier.number) return;
  const reopened = draft.user.reopened + (earlier.pending.endedUs === null ? 0 : 1);
  changeMetrics(step, {
    pendingTurn: { ...draft, ...NO_ANSWER, user: { ...draft.user, reopened, end: null, endedUs: null } },
  });
}

function recordReply(step: RuleStep, { corrections, number, pending, turn }: Reply): void {
  const { currentTurn, pendingTurn } = step.context.metrics;
  if (pending !== null) {
    const draft = pendingTurn ?? newDraft(step, OPEN_USER);
    changeMetrics(step, { pendingTurn: { ...draft, ...NO_ANSWER, utterance: number } });
  } else if (currentTurn?.user != null && turn !== null && turn.number === currentTurn.user.turn) {
    const corrected = currentTurn.utterance !== null;
    const user = { ...currentTurn.user, corrected };
    changeMetrics(step, { currentTurn: { ...currentTurn, ...NO_ANSWER, utterance: number, user } });
  } else if (currentTurn?.user != null && corrections.length > 0) {
    // The part of the wrong answer that was heard counts.
    changeMetrics(step, { currentTurn: { ...currentTurn, user: { ...currentTurn.user, corrected: true } } });
  } else beginTurn(step, { ...newDraft(step, null), utterance: number });
}

/** The end of the pending turn is certain, perhaps once more. */
function recordEnd(step: RuleStep, { pending }: Reply): void {
  const { metrics, userTurn } = step.context;
  const draft = metrics.pendingTurn;
  if (pending?.endedUs == null || draft?.user == null || pending.endedUs === draft.user.endedUs) return;
  const { endedUs: speechEndedUs, end } = userTurn;
  const user = { ...draft.user, endedUs: pending.endedUs, speechEndedUs, end };
  changeMetrics(step, { pendingTurn: { ...draft, user } });
}

/** The words of a turn that the model was asked about turned out to be an echo: there is no turn. */
function forgetNoise(step: RuleStep): void {
  const { metrics, reply, userTurn } = step.context;
  if (metrics.pendingTurn === null || reply?.pending != null || userTurn.startedUs !== null) return;
  changeMetrics(step, { pendingTurn: null });
}
