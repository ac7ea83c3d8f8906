import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import type { ToolDraft, TurnDraft } from '../core/state/turn-draft.ts';
import { turnRecord } from './turn-record.ts';

/** Requests, fillers and tools of one turn that are recorded: a turn makes at most 8 requests, and retries. */
const RECORDED_MAX = 32;

/** The stages of the answer that a rule has reached. */
export function recordStages(step: RuleStep, reply: Reply): void {
  const { metrics } = step.context;
  const key = reply.pending === null ? 'currentTurn' : 'pendingTurn';
  const draft = metrics[key];
  if (draft === null) return;
  const changed = { ...askedStages(step, reply, draft), ...audioStages(step, reply, draft) };
  if (Object.keys(changed).length === 0) return;
  const next = { ...draft, ...changed };
  step.change({ metrics: { ...metrics, [key]: next } });
  // The record is written once the answer is heard, and again when the turn is closed.
  if (draft.answerHeardUs === null && next.answerHeardUs !== null)
    step.command({ type: 'journal.write', entry: { type: 'turn', record: turnRecord(next), isClosed: false } });
}

function askedStages(step: RuleStep, { generation }: Reply, draft: TurnDraft): Partial<TurnDraft> {
  const asked = step.commands.filter(({ type }) => type === 'model.request').map(() => step.nowUs);
  const firstTokenUs = draft.firstTokenUs ?? generation?.firstTokenUs ?? null;
  return {
    ...(asked.length > 0 && { askedUs: limited([...draft.askedUs, ...asked]) }),
    ...(firstTokenUs !== draft.firstTokenUs && { firstTokenUs }),
  };
}

/** A filler is no answer. Audio of the voice counts from its first text that is heard. */
function audioStages({ event, nowUs }: RuleStep, reply: Reply, draft: TurnDraft): Partial<TurnDraft> {
  if (event.type !== 'voice.started' && event.type !== 'media.segment_started') return {};
  const segment = reply.segments.find(({ number }) => number === event.segment);
  if (segment === undefined || draft.answerHeardUs !== null) return {};
  const isFiller = reply.fillerSegments.includes(segment.number);
  const voice = isFiller ? {} : { voiceRequestedUs: segment.requestedUs, firstAudioUs: segment.voiceStartedUs };
  if (event.type === 'voice.started') return draft.firstAudioUs === null ? voice : {};
  if (event.utterance !== reply.number) return {};
  const heardUs = draft.heardUs ?? nowUs;
  return isFiller
    ? { heardUs, fillersUs: limited([...draft.fillersUs, nowUs]) }
    : { heardUs, answerHeardUs: nowUs, ...voice };
}

export function recordTools(before: CallContext, step: RuleStep): void {
  const { metrics, runningTools } = step.context;
  const draft = metrics.currentTurn;
  if (draft === null) return;
  const running = new Set(runningTools.map(({ toolCallId }) => toolCallId));
  const known = new Set(before.runningTools.map(({ toolCallId }) => toolCallId));
  const started = runningTools
    .filter(({ toolCallId }) => !known.has(toolCallId))
    .map(({ toolCallId, name, startedUs }): ToolDraft => ({ toolCallId, name, startedUs, endedUs: null }));
  const tools = draft.tools.map((tool) =>
    tool.endedUs === null && !running.has(tool.toolCallId) ? { ...tool, endedUs: step.nowUs } : tool,
  );
  step.change({ metrics: { ...metrics, currentTurn: { ...draft, tools: limited([...tools, ...started]) } } });
}

function limited<T>(values: readonly T[]): readonly T[] {
  return values.slice(0, RECORDED_MAX);
}
