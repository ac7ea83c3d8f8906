import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { JsonValue } from '../agent/json-value.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TypedEntry } from '../core/state/dtmf-slice.ts';
import type { Reply, Segment, ToolResultEntry } from '../core/state/playout-slice.ts';
import type { OpenEntry } from '../core/state/transcript-slice.ts';
import type { TransferRequest } from '../ports/call-control.ts';
import type { SpokenPiece, TranscriptPart, TransferEntry } from '../ports/journal.ts';
import type { ModelToolCall } from '../ports/language-model.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import { type SpeechPart, speechParts, speechStretches } from '../user-speech/speech-parts.ts';
import { agentItem, changeAgentItem, joinTexts } from './history.ts';
import { firstWord, playedTextOf, SPOKEN_CHARACTER_MS, segmentPlayedMs } from './played-text.ts';
import { userTurnText } from './user-turn-text.ts';

/** The first words of a long turn, up to a position in the user's audio. */
interface TurnPart {
  readonly content: string;
  readonly untilMs: number;
}

/** Writes the entry of the user turn so far. Its place, at the start of speech, stays fixed while the turn grows. */
export function writeUserEntry(step: RuleStep, part: TurnPart | null = null): void {
  const { userTurn } = step.context;
  const content = part?.content ?? userTurnText(userTurn);
  const endUs = part === null ? userTurn.endedUs : step.audioUs(part.untilMs);
  if (content === '') return;
  const openEntry = userTurn.entry ?? {
    sequence: step.nextNumber('sequence'),
    startUs: userTurn.startedUs ?? step.nowUs,
  };
  step.change({ userTurn: { ...step.context.userTurn, entry: openEntry } });
  writeUserText(step, { ...openEntry, endUs, content }, null, part?.untilMs);
}

/** Replaces the words of the entry of a committed turn. */
export function rewriteUserEntry(step: RuleStep, openEntry: OpenEntry, endUs: number | null, content: string): void {
  writeUserText(step, { ...openEntry, endUs, content }, openEntry.sequence);
}

function writeUserText(
  step: RuleStep,
  text: OpenEntry & { readonly endUs: number | null; readonly content: string },
  wordsOf: number | null,
  untilMs = Number.POSITIVE_INFINITY,
): void {
  const { agent, userTurn } = step.context;
  const isWritten = ({ startMs }: SpeechPart) => startMs < untilMs;
  const written = speechParts(userTurn.speech, wordsOf).filter(isWritten);
  const spoken = hasSpoken(agent) ? speechStretches(userTurn.speech, wordsOf).filter(isWritten) : null;
  const entry = {
    role: 'user' as const,
    ...text,
    ...(written.length > 1 && { parts: written.map((part) => transcriptPart(step, part)) }),
    ...(spoken !== null && { spoken: spoken.map(({ endMs, startMs, text }) => ({ startMs, endMs, content: text })) }),
  };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

function transcriptPart(step: RuleStep, { startMs, endMs, text }: SpeechPart): TranscriptPart {
  return { startUs: Math.round(step.audioUs(startMs)), endUs: Math.round(step.audioUs(endMs)), content: text };
}

export function writeTypedEntry(step: RuleStep, typed: TypedEntry): void {
  const { startUs, endUs } = typed;
  const content =
    typed.type === 'text'
      ? { role: 'user' as const, content: typed.text }
      : { role: 'dtmf' as const, content: typed.digits };
  const entry = { ...content, sequence: step.nextNumber('sequence'), startUs, endUs };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

/**
 * Writes the agent's entry of one history item: the text of the segments whose playout has started. False before a word
 * of it was heard: then there is no entry.
 */
export function writeAgentEntry(step: RuleStep, reply: Reply, itemId: number, playedMs: number): boolean {
  const started = reply.segments.filter((segment) => segment.item === itemId && segment.playout !== null);
  if (started.every((segment) => playedTextOf(segment, playedMs) === '')) return false;
  const openEntry = openAgentEntry(step, itemId, started[0]);
  if (openEntry === null) return false;
  const last = started.at(-1);
  const entry = {
    role: 'agent' as const,
    ...openEntry,
    endUs: last?.ended === true ? step.nowUs : null,
    content: joinTexts(...started.map((segment) => segment.text)),
    interrupted: false,
    ...spokenSegments(step, started),
  };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
  return true;
}

/**
 * Truncates a reply to what was played, in transcript and history with identical text. It runs again once the playback
 * position is known to the sample.
 */
export function truncateToPlayed(step: RuleStep, reply: Reply, playedMs: number): void {
  for (const itemId of new Set(reply.segments.map((segment) => segment.item))) {
    const item = agentItem(step.context, itemId);
    const segments = reply.segments.filter((segment) => segment.item === itemId);
    const known = joinTexts(...segments.map((segment) => playedTextOf(segment, playedMs)));
    // Estimates differ by some ms: an entry keeps the word with which it was written.
    const played = known === '' && item?.entry != null ? firstWord(item.text) : known;
    // Interrupted in its last word, an entry has its whole text but no end time yet.
    const isOpen = item?.playedText === null && segments.some(({ playout, ended }) => playout !== null && !ended);
    if (item === undefined || ((item.playedText ?? item.text) === played && !isOpen)) continue;
    changeAgentItem(step, itemId, { playedText: played });
    const openEntry = played === '' ? null : openAgentEntry(step, itemId, segments[0]);
    if (openEntry === null) continue;
    const isWhole = played === item.text;
    const entry = {
      role: 'agent' as const,
      ...openEntry,
      endUs: playedUntilUs(segments, playedMs, step.nowUs),
      content: played,
      interrupted: !isWhole,
      ...(!isWhole && { generatedContent: item.text }),
      ...spokenSegments(step, segments),
    };
    step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
  }
}

/** Times of what was spoken are written only where they are needed: commands of existing tapes stay equal. */
function hasSpoken({ redaction }: AgentConfiguration): boolean {
  return redaction?.audio !== undefined;
}

/** The segments whose playout has started, with their times; pauses lengthen them. */
function spokenSegments(step: RuleStep, segments: readonly Segment[]): { readonly spoken?: readonly SpokenPiece[] } {
  if (!hasSpoken(step.context.agent)) return {};
  const spoken = segments.flatMap(({ durationMs, playout, text }) => {
    if (playout === null) return [];
    const pausedUs = (playout.pauses ?? []).reduce((sum, { durationUs }) => sum + durationUs, 0);
    const lengthMs = durationMs ?? text.length * SPOKEN_CHARACTER_MS;
    const startedMs = playout.startedUs / 1000;
    // A voice whose audio stalls within the segment ends later than its length.
    const endMs = Math.max(startedMs + lengthMs, (playout.endedUs ?? 0) / 1000);
    return [{ startMs: startedMs - pausedUs / 1000, endMs, content: text }];
  });
  return { spoken };
}

/** When the last audio of these segments left on the wire; playback may have been paused before the drop. */
function playedUntilUs(segments: readonly Segment[], playedMs: number, nowUs: number): number {
  const last = segments.findLast(({ playout }) => playout !== null);
  if (last?.playout == null) return nowUs;
  const lastMs = segmentPlayedMs(last, playedMs);
  const us = last.playout.startedUs + Math.round(Math.min(lastMs, last.durationMs ?? lastMs) * 1000);
  return Math.min(nowUs, us);
}

function openAgentEntry(step: RuleStep, itemId: number, first: Segment | undefined) {
  const item = agentItem(step.context, itemId);
  if (item === undefined || first?.playout == null) return null;
  if (item.entry !== null) return item.entry;
  const openEntry = { sequence: step.nextNumber('sequence'), startUs: first.playout.startedUs };
  changeAgentItem(step, itemId, { entry: openEntry });
  return openEntry;
}

export function writeToolCall(
  step: RuleStep,
  call: ModelToolCall,
  toolType: string,
  args: { readonly [key: string]: JsonValue },
): void {
  const entry = {
    role: 'tool_call' as const,
    sequence: step.nextNumber('sequence'),
    startUs: step.nowUs,
    endUs: step.nowUs,
    content: '',
    toolCallId: call.id,
    name: call.name,
    toolType,
    arguments: args,
  };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

type ReportedResult = Pick<ToolResult, 'successful' | 'content' | 'httpStatus'>;

export function writeToolResult(
  step: RuleStep,
  call: ToolResultEntry['call'],
  result: ReportedResult,
): ToolResultEntry {
  const openEntry = { call, sequence: step.nextNumber('sequence'), startUs: step.nowUs };
  rewriteToolResult(step, openEntry, result);
  const { id: toolCallId, name } = call;
  const event = { type: 'tool_called' as const, toolCallId, name, successful: result.successful, atUs: step.nowUs };
  step.command({ type: 'journal.write', entry: event });
  return openEntry;
}

/** Writes the result into its entry, in place of an earlier result. */
export function rewriteToolResult(
  step: RuleStep,
  { call, sequence, startUs }: ToolResultEntry,
  result: ReportedResult,
): void {
  const { successful, content, httpStatus } = result;
  const entry = {
    role: 'tool_response' as const,
    sequence,
    startUs,
    endUs: startUs,
    content,
    toolCallId: call.id,
    name: call.name,
    successful,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
}

export function writeTransition(step: RuleStep, from: string, to: string, condition: string): void {
  const entry = {
    role: 'state_transition' as const,
    sequence: step.nextNumber('sequence'),
    startUs: step.nowUs,
    endUs: step.nowUs,
    content: '',
    from,
    to,
    condition,
  };
  step.command({ type: 'journal.write', entry: { type: 'transcript', entry } });
  step.command({ type: 'journal.write', entry: { type: 'state', from, to, atUs: step.nowUs } });
}

export function writeTransfer(
  step: RuleStep,
  { destination, mode }: TransferRequest,
  phase: TransferEntry['phase'],
  reason?: string,
): void {
  const detail = reason === undefined ? {} : { reason };
  step.command({
    type: 'journal.write',
    entry: { type: 'transfer', phase, destination, mode, ...detail, atUs: step.nowUs },
  });
}
