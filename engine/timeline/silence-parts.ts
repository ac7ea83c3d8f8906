import type { CallSpan } from './call-span.ts';
import type { Silence, SilenceCause, SilenceCauseType, SilencePart } from './silence.ts';
import type { TimelineInput } from './timeline-input.ts';
import { spansOf, type Wait } from './wait.ts';

/** Smaller parts of a silence are left out. */
const SHARE_MIN = 0.1;
/** A smaller unexplained part is left out too: the recorded waits explain the silence. */
const UNKNOWN_SHARE_MIN = 0.5;
/** Above this loss a transcriber misses words. */
const LOST_SHARE_MIN = 0.05;

/** The words that are missing in a silence were spoken before it. */
const HEARD_BEFORE_US = 3_000_000;

/** Causes that packet loss can produce, because words are missing in the audio. */
const HURT_BY_LOSS: ReadonlySet<SilenceCauseType> = new Set(['transcriber_late', 'no_words', 'provider_turn_end']);

type Gap = Omit<Silence, 'parts'>;

/** Divides a silence among its causes: at each moment the first of the waits counts. */
export function silenceParts(gap: Gap, waits: readonly Wait[], input: TimelineInput): readonly SilencePart[] {
  const inside = waits
    .filter(({ fromUs, toUs }) => toUs > gap.fromUs && fromUs < gap.toUs)
    .toSorted((a, b) => a.rank - b.rank);
  const edges = [...new Set([gap.fromUs, gap.toUs, ...inside.flatMap(({ fromUs, toUs }) => [fromUs, toUs])])]
    .filter((us) => us >= gap.fromUs && us <= gap.toUs)
    .toSorted((a, b) => a - b);
  const lostShare = lostShareIn(gap, input.spans);
  const parts = new Map<string, { cause: SilenceCause; us: number; waits: Set<Wait | undefined> }>();
  for (const [index, fromUs] of edges.slice(0, -1).entries()) {
    const toUs = edges[index + 1] ?? fromUs;
    const wait = inside.find((candidate) => candidate.fromUs <= fromUs && candidate.toUs >= toUs);
    const cause = withLoss(wait?.cause ?? restOf(gap), lostShare);
    const key = cause.type === 'tool' ? `tool ${cause.name}` : cause.type;
    const part = parts.get(key);
    parts.set(key, {
      cause: part === undefined ? cause : worse(part.cause, cause),
      us: (part?.us ?? 0) + toUs - fromUs,
      waits: (part?.waits ?? new Set()).add(wait),
    });
  }
  const all = [...parts.values()].map(({ cause, us, waits: counted }): SilencePart => {
    return {
      cause: withAllWaits(cause, counted),
      ms: Math.round(us / 1000),
      share: Math.round((us / (gap.toUs - gap.fromUs)) * 100) / 100,
    };
  });
  const large = all.filter(({ cause, share }) => share >= (cause.type === 'unknown' ? UNKNOWN_SHARE_MIN : SHARE_MIN));
  return (large.length === 0 ? all : large).toSorted((a, b) => b.ms - a.ms);
}

/** What the waits of a part say together, in their order: the number of requests, and what followed the last failure. */
function withAllWaits(cause: SilenceCause, waits: ReadonlySet<Wait | undefined>): SilenceCause {
  if (cause.type === 'model_slow') return { ...cause, requests: waits.size };
  const last = [...waits].at(-1)?.cause;
  if (last === undefined || !isFailure(cause) || !isFailure(last)) return cause;
  const { askedAgain, error, next } = last;
  return { ...cause, askedAgain, error, next };
}

function isFailure(cause: SilenceCause): cause is Extract<SilenceCause, { type: 'model_failed' | 'voice_failed' }> {
  return cause.type === 'model_failed' || cause.type === 'voice_failed';
}

function restOf({ after, before }: Gap): SilenceCause {
  if (after === 'start') return { type: 'agent_waits' };
  return { type: after === 'agent' && before !== 'user' ? 'user_silent' : 'unknown' };
}

/** Share of the user's packets that were lost in the samples around a silence; null if it is not known. */
function lostShareIn({ fromUs, toUs }: Gap, spans: readonly CallSpan[]): number | null {
  const samples = spansOf(spans, 'network').filter(
    (sample) => sample.toUs > fromUs - HEARD_BEFORE_US && sample.fromUs < toUs,
  );
  const lost = samples.reduce((sum, { inbound }) => sum + (inbound.lost ?? 0), 0);
  const packets = samples.reduce((sum, { inbound }) => sum + inbound.packets, 0);
  return packets + lost === 0 ? null : lost / (packets + lost);
}

function withLoss(cause: SilenceCause, lostShare: number | null): SilenceCause {
  if (lostShare === null || lostShare < LOST_SHARE_MIN || !HURT_BY_LOSS.has(cause.type)) return cause;
  return { type: 'packet_loss', lostShare };
}

/** The one with the greater evidence. */
function worse(one: SilenceCause, other: SilenceCause): SilenceCause {
  return evidenceOf(other) > evidenceOf(one) ? other : one;
}

function evidenceOf(cause: SilenceCause): number {
  return Math.max(0, ...Object.values(cause).filter((value) => typeof value === 'number'));
}
