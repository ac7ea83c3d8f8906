import { type activityOf, type BackgroundCall, type Sound, speechOf } from '../../fixtures/sound/background-call.ts';
import type { VoiceActivity } from '../../sip/media/detection/voice-activity.ts';

const SAMPLES_PER_S = 8_000;
/** The user speaks for 4 s, the agent asks for 3 s, the user answers. */
const LEARNING_MS = 1_000;
const QUESTION_MS = 6_000;
const ANSWER_MS = 9_600;
const CALL_MS = 15_000;
/** The answer begins somewhere in the user's speech, and there it is loud. */
const PLACES_S = [4, 6.5, 9, 11.5];
const WORD_S = 0.6;
const SENTENCE_S = 3;
/** The sentence falls to its level after this time. */
const LOUD_S = 1.2;
/** Transcribers place words up to this far from the sound. */
const WORD_SLACK_MS = 250;
const WORD_MS = 300;

export const ANSWERS = ['one word', 'sentence', 'trailing off'] as const;
type Answer = (typeof ANSWERS)[number];

type Call = Omit<BackgroundCall, 'classifier'>;

/** The calls of a user whose answer to a question is softer than their speech before by `levelDb`. */
export function softAnswers(user: Int16Array, agent: Int16Array, answer: Answer, levelDb: number): readonly Call[] {
  return PLACES_S.map((fromS) => {
    const heard: Sound[] = [{ atMs: LEARNING_MS, samples: part(user, 0, 4) }];
    if (answer === 'trailing off') {
      heard.push({ atMs: ANSWER_MS, samples: part(user, fromS, LOUD_S) });
      heard.push({
        atMs: ANSWER_MS + LOUD_S * 1000,
        samples: softer(part(user, fromS + LOUD_S, SENTENCE_S - LOUD_S), levelDb),
      });
    } else {
      const samples = answer === 'one word' ? word(user, fromS) : part(user, fromS, SENTENCE_S);
      heard.push({ atMs: ANSWER_MS, samples: softer(samples, levelDb) });
    }
    return { lengthMs: CALL_MS, agent: [{ atMs: QUESTION_MS, samples: part(agent, 0, 3) }], heard };
  });
}

/** How many answers lost half of their words, and how many lost any. */
export function lossOf(shares: readonly number[]): { readonly half: number; readonly any: number } {
  return { half: shares.filter((share) => share >= 0.5).length, any: shares.filter((share) => share > 0).length };
}

/** The share of the answer's words that the engine would take for the background's. */
export function lostShare(call: Call, activity: (call: Call) => ReturnType<typeof activityOf>): number {
  const events = activity(call);
  const spoken = speechOf(activity({ ...call, isLevelIgnored: true })).filter(({ untilMs }) => untilMs > ANSWER_MS);
  let words = 0;
  let lost = 0;
  const own = speechOf(events);
  const background = backgroundOf(events);
  for (const { fromMs, untilMs } of spoken) {
    for (let atMs = Math.max(fromMs, ANSWER_MS); atMs + WORD_MS / 2 < untilMs; atMs += WORD_MS) {
      const middleMs = Math.min(atMs + WORD_MS / 2, untilMs);
      const overlaps = (one: { fromMs: number; untilMs: number }) =>
        one.fromMs <= middleMs + WORD_SLACK_MS && one.untilMs >= middleMs - WORD_SLACK_MS;
      words++;
      if (background.some(overlaps) && !own.some(overlaps)) lost++;
    }
  }
  return words === 0 ? 0 : lost / words;
}

function backgroundOf(events: readonly VoiceActivity[]): readonly { fromMs: number; untilMs: number }[] {
  return events.flatMap((event, index) => {
    if (event.type !== 'background_speech_started') return [];
    const stop = events.slice(index).find(({ type }) => type === 'background_speech_stopped');
    return [{ fromMs: event.audioMs, untilMs: stop?.audioMs ?? Number.POSITIVE_INFINITY }];
  });
}

/** A stressed word: from the loudest 100 ms within 2 s on, and a little before. */
function word(voice: Int16Array, fromS: number): Int16Array {
  const near = part(voice, fromS, 2 + WORD_S);
  const step = SAMPLES_PER_S / 10;
  let loudest = 0;
  let most = 0;
  for (let at = step; at + step <= 2 * SAMPLES_PER_S; at += step) {
    const power = near.subarray(at, at + step).reduce((sum, sample) => sum + sample ** 2, 0);
    if (power > most) [most, loudest] = [power, at];
  }
  return near.slice(Math.max(0, loudest - step * 2), loudest - step * 2 + WORD_S * SAMPLES_PER_S);
}

/** The voice at another level, in dB relative to its own. */
export function softer(voice: Int16Array, levelDb: number): Int16Array {
  return voice.map((sample) => Math.round(sample * 10 ** (levelDb / 20)));
}

/** `lengthS` seconds of a voice, repeated as needed. */
export function part(voice: Int16Array, fromS: number, lengthS: number): Int16Array {
  const from = Math.round(fromS * SAMPLES_PER_S);
  return Int16Array.from({ length: lengthS * SAMPLES_PER_S }, (_, i) => voice[(from + i) % voice.length] ?? 0);
}
