import type { CallContext, Reply, Segment } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import type { CallMetrics, Spread, TurnMetrics } from '../ports/journal.ts';
import type { ModelUsage } from '../ports/language-model.ts';

export function countTokens(step: Step, usage: ModelUsage | undefined): void {
  if (usage === undefined) return;
  const { tally } = step.context;
  step.change({
    tally: {
      ...tally,
      inputTokens: tally.inputTokens + usage.inputTokens,
      outputTokens: tally.outputTokens + usage.outputTokens,
    },
  });
}

type Counted = 'interruptions' | 'falseInterruptions' | 'voiceCharacters' | 'eagerHits' | 'eagerMisses';

export function count(step: Step, key: Counted, by = 1): void {
  const { tally } = step.context;
  step.change({ tally: { ...tally, [key]: tally[key] + by } });
}

/** The figures of a reply, told once, when its first sample has left on the wire. */
export function measureReply(step: Step, reply: Reply, first: Segment): void {
  const { turn, modelTimes: times, utterance } = reply;
  const wireUs = first.wire?.startedUs ?? step.nowUs;
  // What filled the wait for the model was heard before it.
  const heardUs = reply.segments.find(({ wire }) => wire !== null)?.wire?.startedUs ?? wireUs;
  const metrics: TurnMetrics = {
    turn: utterance,
    endpointingMs: turn === null ? null : ms(turn.speechEndedUs, turn.takenUs),
    llmFirstTokenMs: times === null ? null : ms(times.requestedUs, times.firstTokenUs),
    voiceFirstAudioMs: first.voiceStartedUs === null ? null : ms(first.orderedUs, first.voiceStartedUs),
    engineMs: turn === null ? null : engineMs(reply, first, turn.takenUs, wireUs),
    responseMs: turn === null ? null : ms(turn.speechEndedUs, heardUs),
  };
  step.order({ type: 'journal.write', entry: { type: 'turn_metrics', metrics } });
  if (turn === null) return;
  const { tally } = step.context;
  step.change({ tally: { ...tally, measured: [...tally.measured, metrics] } });
}

/** Null where the wait for a model is in it: one that never answered, or what was said meanwhile and played on. */
function engineMs({ modelTimes, oneMoment, steps }: Reply, first: Segment, takenUs: number, wireUs: number) {
  if (oneMoment !== null || (modelTimes === null && steps > 0)) return null;
  const askedUs = modelTimes?.requestedUs ?? first.orderedUs;
  return round(ms(takenUs, askedUs) + ms(first.voiceStartedUs ?? first.orderedUs, wireUs));
}

export function callMetrics(context: CallContext, transcribedMs: number): CallMetrics {
  const { measured, ...counted } = context.tally;
  return {
    turns: context.numbers.turn,
    ...counted,
    transcribedMs: round(transcribedMs),
    endpointingMs: spread(measured, 'endpointingMs'),
    llmFirstTokenMs: spread(measured, 'llmFirstTokenMs'),
    voiceFirstAudioMs: spread(measured, 'voiceFirstAudioMs'),
    engineMs: spread(measured, 'engineMs'),
    responseMs: spread(measured, 'responseMs'),
  };
}

function spread(measured: readonly TurnMetrics[], figure: Exclude<keyof TurnMetrics, 'turn'>): Spread {
  const sorted = measured.flatMap(({ [figure]: value }) => (value === null ? [] : [value])).toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { median: rank(0.5), p95: rank(0.95) };
}

/** What lies between two moments; nothing where the second came first, as where a model was asked ahead of the turn. */
function ms(fromUs: number, toUs: number): number {
  return round(Math.max(0, toUs - fromUs) / 1000);
}

/** To a tenth of a ms: packets are coarser. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
