import { NO_SPEECH, type SpeechSegment, type SpeechTimeline } from '../../../engine/core/state/speech-timeline.ts';

interface SaidWords {
  readonly finals?: readonly string[];
  /** End of the last final's words. */
  readonly finalEndMs?: number;
  readonly interim?: string;
  readonly interimEndMs?: number;
  readonly finalUntilMs?: number;
  readonly committed?: SpeechTimeline['committed'];
}

/** No voice activity follows the words. */
const AS_LONG_AS_HEARD_MS = Number.POSITIVE_INFINITY;

/** The words of an open user turn. */
export function speechOf({
  finals = [],
  finalEndMs = AS_LONG_AS_HEARD_MS,
  interim,
  interimEndMs = AS_LONG_AS_HEARD_MS,
  finalUntilMs = 0,
  committed = [],
}: SaidWords): SpeechTimeline {
  const texts = [
    ...finals.map((text) => ({ text, state: 'final' as const, endMs: finalEndMs })),
    ...(interim === undefined ? [] : [{ text: interim, state: 'open' as const, endMs: interimEndMs }]),
  ];
  const segments = texts.map(
    (text, index): SpeechSegment => ({ ...text, number: index + 1, revision: 1, startMs: 0, words: [], claims: [] }),
  );
  return { ...NO_SPEECH, segments, segmentCount: segments.length, finalUntilMs, committed };
}
