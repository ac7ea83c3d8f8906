import type { Silence, SilenceCauseType } from './silence.ts';
import { silenceParts } from './silence-parts.ts';
import type { TimelineInput } from './timeline-input.ts';
import { spansOf } from './wait.ts';
import { callWaits } from './waits.ts';

/** Shorter silences are those of a conversation. */
const SILENCE_MS = 1_000;

/** With these the user expected no answer: such a silence counts only before the agent speaks. */
const NOT_AWAITED: ReadonlySet<SilenceCauseType> = new Set([
  'user_silent',
  'agent_waits',
  'unknown',
  'open_words',
  'dictation',
  'interruption',
  'no_words',
]);

interface Sound {
  readonly by: 'user' | 'agent';
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * Each time of more than a second in which the user waited and heard nothing, in order: before the agent spoke, between
 * two things that it said, or before the user spoke again or the call ended without an answer.
 */
export function silencesOf(input: TimelineInput): readonly Silence[] {
  const startUs = input.spans.find(({ type }) => type === 'answered')?.fromUs;
  if (startUs === undefined) return [];
  const waits = callWaits(input);
  const silences: Silence[] = [];
  let untilUs = startUs;
  let after: Silence['after'] = 'start';
  const visit = (atUs: number, before: Silence['before']) => {
    if (atUs - untilUs <= SILENCE_MS * 1000) return;
    const gap = { fromUs: untilUs, toUs: atUs, after, before };
    const silence: Silence = { ...gap, parts: silenceParts(gap, waits, input) };
    if (before === 'agent' || !NOT_AWAITED.has(silence.parts[0]?.cause.type ?? 'unknown')) silences.push(silence);
  };
  for (const { by, fromUs, toUs } of soundsOf(input)) {
    visit(fromUs, by);
    if (toUs < untilUs) continue;
    untilUs = toUs;
    after = by;
  }
  if (input.endedUs !== null) visit(input.endedUs, 'end');
  return silences;
}

/** The speech of the user and the speech that they heard, in order. */
function soundsOf({ spans, transcript, turns }: TimelineInput): readonly Sound[] {
  const speechEndUs = new Map(
    turns.flatMap(({ startUs, user }) => (user?.sequence == null ? [] : [[user.sequence, startUs]])),
  );
  const activity = spansOf(spans, 'voice_activity');
  const said = transcript.flatMap(({ endUs, role, sequence, startUs }): Sound[] => {
    if (role !== 'user' && role !== 'dtmf') return [];
    const saidUntilUs = Math.max(startUs, speechEndUs.get(sequence) ?? endUs ?? startUs);
    // An entry may hold what was said before and after a silence.
    const parts = activity
      .filter(({ fromUs, toUs }) => toUs > startUs && fromUs < saidUntilUs)
      .map((spoken) => ({ fromUs: Math.max(startUs, spoken.fromUs), toUs: Math.min(saidUntilUs, spoken.toUs) }));
    const whole = parts.length === 0 ? [{ fromUs: startUs, toUs: saidUntilUs }] : parts;
    return whole.map((part) => ({ by: 'user', ...part }));
  });
  const heard = spans.flatMap(({ fromUs, toUs, type }): Sound[] =>
    type === 'agent_speech' ? [{ by: 'agent', fromUs, toUs }] : [],
  );
  return [...said, ...heard].toSorted((a, b) => a.fromUs - b.fromUs);
}
