import type { CallContext } from '../core/context.ts';
import { isReplyPlayed } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp, Reply, Segment, TransferFollowUp } from '../core/state/playout-slice.ts';
import type { CommittedTurn } from '../core/state/turn-detection-slice.ts';
import { finishedReply, isAnsweredAfterReply } from '../interruption/answered-after-reply.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { isSpeakable } from '../languages/words.ts';
import { countMetric } from '../metrics/conversation-metrics.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { addAgentItem, agentItem, changeAgentItem, joinTexts } from '../transcript/history.ts';
import { writeUserEntry } from '../transcript/transcript.ts';
import { commitPendingTurn } from '../turn-detection/commit-turn.ts';
import { resetCommittedTurn, startTurnAfterReply } from '../turn-detection/user-turn.ts';
import { fillVariablesForSpeech } from '../variables/variables.ts';
import { stopReplyTimers, watchVoice } from './playout-watchdogs.ts';

export const LISTEN: FollowUp = { type: 'listen' };

/** Segments whose echo one final of a transcriber may contain, at most. */
const PLAYED_SEGMENTS_MAX = 16;

export function startReply(step: RuleStep, turn: CommittedTurn | null, interruptible = true): void {
  const reply: Reply = {
    number: step.nextNumber('reply'),
    turn,
    pending: null,
    withheldSentences: [],
    interruptible,
    falsePauses: 0,
    modelRequests: 0,
    requestPending: false,
    invalidCalls: 0,
    generation: null,
    segments: [],
    keptTexts: [],
    followUp: LISTEN,
    corrections: [],
    fillerSegments: [],
  };
  step.change({ reply, interruption: null });
}

export function changeReply(step: RuleStep, changed: Partial<Reply>): void {
  const { reply } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, ...changed } });
}

/** Requests the reply's next generation. It starts once the state machine has moved and no tool runs. */
export function requestGeneration(step: RuleStep): void {
  changeReply(step, { requestPending: true });
  step.raise({ type: 'engine.generate' });
}

/** Sets the reply's follow-up, unless it has one already. */
export function setFollowUp(step: RuleStep, followUp: FollowUp): void {
  if (step.context.reply?.followUp.type === 'listen') changeReply(step, { followUp, requestPending: false });
}

/**
 * Adds a text of the agent's configuration to the reply, with its variables filled in.
 *
 * @param interruptible false: the text is heard to its end
 * @param keepsHoles sentences that lack a value are said too, with an empty text in its place
 */
export function say(
  step: RuleStep,
  template: string | undefined,
  itemId?: number,
  interruptible = true,
  keepsHoles = false,
): void {
  const text = template === undefined ? '' : fillVariablesForSpeech(step, template, keepsHoles);
  if (text === '' || step.context.reply === null) return;
  const item = itemId ?? addAgentItem(step);
  for (const sentence of splitSentences(text, step.context.agent.language))
    speakSegment(step, item, sentence, { interruptible });
}

export interface Announcement {
  readonly filler_sentence?: string | undefined;
  readonly interruptible?: boolean | undefined;
}

/** Says the announcement of a tool, or the filler sentence of a transition. */
export function announce(step: RuleStep, { filler_sentence, interruptible }: Announcement, itemId: number): void {
  say(step, filler_sentence, itemId, interruptible);
}

interface SegmentOptions {
  /** The history has this text already. */
  readonly isInHistory?: boolean;
  /** False: the segment is heard to its end. */
  readonly interruptible?: boolean;
}

/** Gives one segment to the voice and to the history; text without a sound goes to neither. */
export function speakSegment(
  step: RuleStep,
  itemId: number,
  text: string,
  { isInHistory = false, interruptible = true }: SegmentOptions = {},
): void {
  const { reply } = step.context;
  if (reply === null || !isSpeakable(text)) return;
  const number = step.nextNumber('segment');
  const segment: Segment = {
    number,
    item: itemId,
    text,
    interruptible: interruptible && reply.interruptible && step.state.interruptible !== false,
    requestedUs: step.nowUs,
    voiceStartedUs: null,
    durationMs: null,
    words: [],
    playout: null,
    ended: false,
  };
  changeReply(step, { segments: [...reply.segments, segment] });
  if (!isInHistory) addSpokenText(step, itemId, text);
  countMetric(step, 'voiceCharacters', text.length);
  if (step.context.failover.voice.waitingFrom === null)
    step.command({ type: 'voice.speak', utterance: reply.number, segment: number, text });
  watchVoice(step);
}

/** Adds a text, which the voice already has, to the agent's item in the history. */
export function addSpokenText(step: RuleStep, itemId: number, text: string): void {
  const item = agentItem(step.context, itemId);
  if (item !== undefined) changeAgentItem(step, itemId, { text: joinTexts(item.text, text) });
}

/** No generation runs or is requested, and all speech and DTMF digits were played. A tool may still run. */
function isFullyPlayed(context: CallContext): boolean {
  const { outgoingDtmf, reply } = context;
  return reply === null || (outgoingDtmf.length === 0 && isReplyPlayed(reply) && !awaitsDigits(context, reply));
}

/** An end or a transfer that the model has chosen waits for the end of a DTMF entry, as it waits for words. */
function awaitsDigits({ decidedEnd, dtmf }: CallContext, { followUp }: Reply): boolean {
  return decidedEnd === null && dtmf.openEntry !== null && (followUp.type === 'end' || followUp.type === 'transfer');
}

/** Nothing more follows in the reply, and all of it was played. Tools of earlier replies may still run. */
export function isReplyOver(context: CallContext): boolean {
  const { reply, runningTools } = context;
  return isFullyPlayed(context) && !runningTools.some((tool) => tool.reply === reply?.number);
}

/**
 * The reason for which the call ends after the reply, or null. `decidedEnd` precedes the model's `hang_up`; a transfer
 * precedes both.
 */
export function endReasonAfterReply({ decidedEnd, reply }: CallContext): EndReason | null {
  if (reply !== null && isTransfer(reply.followUp)) return null;
  return decidedEnd ?? (reply?.followUp.type === 'end' ? reply.followUp.reason : null);
}

/** The end of the call does not wait for running tools. */
export function replyEndsCall(context: CallContext): boolean {
  return isFullyPlayed(context) && endReasonAfterReply(context) !== null;
}

/** A transfer does not wait for running tools either; if it fails, their results are used. */
export function replyTransfers(context: CallContext): boolean {
  const { reply } = context;
  return isFullyPlayed(context) && reply !== null && isTransfer(reply.followUp);
}

export function isTransfer(followUp: FollowUp): followUp is TransferFollowUp {
  return ['transfer', 'requested_transfer', 'failure_transfer'].includes(followUp.type);
}

/** The reply ends in a transfer that the model or the API requested. A failure does not cancel it. */
export function hasRequestedTransfer({ reply }: CallContext): boolean {
  return reply !== null && isTransfer(reply.followUp) && reply.followUp.type !== 'failure_transfer';
}

/** The reply was played to its end. Words of the user during the reply are answered, unless they are backchannels. */
export function finishReply(step: RuleStep): void {
  commitPendingTurn(step);
  const isAnswered = isAnsweredAfterReply(step);
  const reason = endReasonAfterReply(step.context);
  stopReplyTimers(step);
  rememberPlayedSegments(step);
  step.change({ lastFinishedReply: finishedReply(step), reply: null, interruption: null, lastDroppedReply: null });
  if (!isAnswered) {
    writeUserEntry(step);
    if (step.context.userTurn.entry !== null) resetCommittedTurn(step, null);
    else startTurnAfterReply(step);
  }
  if (reason !== null) step.raise({ type: 'engine.end', reason });
}

/** The transcriber may still report their echo, in one final for several. */
export function rememberPlayedSegments(step: RuleStep): void {
  const { lastPlayedSegments, reply } = step.context;
  const played = reply?.segments.filter((segment) => segment.playout !== null) ?? [];
  if (played.length > 0)
    step.change({ lastPlayedSegments: [...lastPlayedSegments, ...played].slice(-PLAYED_SEGMENTS_MAX) });
}

/** A reply can also be started, or dropped, by another region of the machine. */
export function hasReply({ reply }: CallContext): boolean {
  return reply !== null;
}
