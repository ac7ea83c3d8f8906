import { beforeAll, describe, expect, it } from 'vitest';
import { activityOf, type BackgroundCall, speechOf } from '../../../../fixtures/sound/background-call.ts';
import { atLevel, recordedSpeech, syntheticSpeech } from '../../../../fixtures/sound/recorded-speech.ts';
import { joined, tone } from '../../../../fixtures/sound/synthesis.ts';
import { FORGOTTEN_FRAMES } from '../../../../sip/media/detection/user-level.ts';
import { loadVoiceClassifiers, type VoiceClassifier } from '../../../../sip/media/detection/voice-activity.ts';

const USER_DB = -22;
const SAMPLES_PER_S = 8_000;
const FORGOTTEN_MS = FORGOTTEN_FRAMES * 20;
/** The level is learnt again after the voice of 1.5 s, which has pauses. */
const LEARNT_AGAIN_MS = 2_500;
const synthetic = (...names: string[]) => joined(names.map(syntheticSpeech));
const WOMAN = synthetic('address-woman', 'greeting-woman', 'goodbye-woman-noise', 'hesitation-woman');
const MAN = synthetic('digits-man', 'question-man-noise', 'greeting-man', 'stop-man');
const PAIRS = [
  { name: 'a woman, then a man', user: WOMAN, other: MAN },
  { name: 'a man, then a woman', user: MAN, other: WOMAN },
  {
    name: 'people (skipped without Debian’s asterisk-core-sounds-en-wav and -fr-wav)',
    user: recordedSpeech('en_US_f_Allison/demo-congrats'),
    other: recordedSpeech('fr_CA_f_June/vm-msginstruct'),
  },
  {
    name: 'people, the other way round (skipped likewise)',
    user: recordedSpeech('fr_CA_f_June/vm-msginstruct'),
    other: recordedSpeech('en_US_f_Allison/demo-congrats'),
  },
];
/** The user speaks for 4 s. */
const LEARNING_MS = 1_000;
const LEARNT_MS = 5_000;
/** The second voice speaks for 9 s, the last six of them while the agent does. */
const OTHER_MS = 6_000;
const AGENT_MS = 9_000;
const OTHER_END_MS = 15_000;

let createClassifier: () => VoiceClassifier;
beforeAll(async () => {
  createClassifier = await loadVoiceClassifiers();
});

const activity = (call: Omit<BackgroundCall, 'classifier'>) => activityOf({ ...call, classifier: createClassifier() });

/** `lengthS` seconds of speech from `fromS` on, at a level. */
function spoken(voice: Int16Array, fromS: number, lengthS: number, levelDb: number): Int16Array {
  const levelled = atLevel(voice, levelDb);
  const from = fromS * SAMPLES_PER_S;
  return Int16Array.from({ length: lengthS * SAMPLES_PER_S }, (_, i) => levelled[(from + i) % levelled.length] ?? 0);
}

/** The parts of the user's activity, in ms, between two times. */
function speechBetween(events: ReturnType<typeof activityOf>, fromMs: number, untilMs: number): number {
  return speechOf(events)
    .map((speech) => Math.min(untilMs, speech.untilMs) - Math.max(fromMs, speech.fromMs))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

function lastedAfter(events: ReturnType<typeof activityOf>, afterMs: number) {
  return events.filter((event) => event.type === 'speech_lasted' && event.lastedMs === 500 && event.atMs >= afterMs);
}

describe.each(PAIRS)('$name: voice activity', ({ user: userVoice, other: otherVoice }) => {
  const isInstalled = userVoice !== null && otherVoice !== null;
  const user = userVoice ?? WOMAN;
  const other = otherVoice ?? MAN;
  const learning = { atMs: LEARNING_MS, samples: spoken(user, 0, 4, USER_DB) };
  const agent = [{ atMs: AGENT_MS, samples: spoken(user, 3, 6, USER_DB) }];
  const second = (softerDb: number) => ({ atMs: OTHER_MS, samples: spoken(other, 1, 9, USER_DB - softerDb) });

  it.runIf(isInstalled).each([15, 20, 25])(
    'of a second voice %i dB softer is background and does not interrupt',
    (softerDb) => {
      const events = activity({ lengthMs: 17_000, agent, heard: [learning, second(softerDb)] });
      expect(speechBetween(events, OTHER_MS, OTHER_END_MS)).toBeLessThan(500);
      expect(lastedAfter(events, OTHER_MS)).toEqual([]);
      const background = events.filter(({ type }) => type === 'background_speech_started');
      if (softerDb === 15) expect(background.length).toBeGreaterThan(0);
    },
  );

  it.runIf(isInstalled)('of a second voice as loud as the user counts', () => {
    const events = activity({ lengthMs: 17_000, agent, heard: [learning, second(0)] });
    expect(speechBetween(events, OTHER_MS, OTHER_END_MS)).toBeGreaterThan(5_000);
  });

  it.runIf(isInstalled)('of the user is equal with and without the level', () => {
    const heard = [
      learning,
      { atMs: 8_000, samples: spoken(user, 4, 5, USER_DB) },
      { atMs: 15_000, samples: spoken(user, 9, 3, USER_DB - 4) },
    ];
    const plain = activity({ lengthMs: 20_000, heard, isLevelIgnored: true });
    const events = activity({ lengthMs: 20_000, heard });
    const lostMs = speechBetween(plain, 0, 20_000) - speechBetween(events, 0, 20_000);
    expect(lostMs).toBeLessThan(0.06 * speechBetween(plain, 0, 20_000));
    expect(lastedAfter(events, 0)[0]?.atMs).toBe(lastedAfter(plain, 0)[0]?.atMs);
  });

  it.runIf(isInstalled)('of the user begins as early over a voice 15 dB softer', () => {
    const interruption = { atMs: 12_000, samples: spoken(user, 4, 3, USER_DB) };
    const alone = activity({ lengthMs: 17_000, agent, heard: [learning, interruption] });
    const events = activity({ lengthMs: 17_000, agent, heard: [learning, second(15), interruption] });
    const aloneMs = lastedAfter(alone, 12_000)[0]?.atMs ?? 0;
    expect(lastedAfter(events, 12_000)[0]?.atMs).toBeLessThanOrEqual(aloneMs + 150);
  });

  it.runIf(isInstalled).each([6, 8, 10])('of a user who answers a question %i dB softer counts, whole', (softerDb) => {
    const question = [{ atMs: LEARNT_MS + 1_000, samples: spoken(user, 3, 3, USER_DB) }];
    const answer = { atMs: 9_600, samples: spoken(user, 6.5, 3, USER_DB - softerDb) };
    const call = { lengthMs: 15_000, agent: question, heard: [learning, answer] };
    const events = activity(call);
    const wholeMs = speechBetween(activity({ ...call, isLevelIgnored: true }), 9_600, 15_000);
    expect(speechBetween(events, 9_600, 15_000)).toBeGreaterThan(0.9 * wholeMs);
    for (const [index, event] of events.entries()) {
      if (event.type !== 'background_speech_started') continue;
      expect(events[index + 1]).toMatchObject({ type: 'background_speech_stopped', audioMs: event.audioMs });
    }
  });

  it.runIf(isInstalled)('of a user who ends a sentence 8 dB softer counts to its end', () => {
    const heard = [
      learning,
      { atMs: 9_600, samples: spoken(user, 7, 1.2, USER_DB) },
      { atMs: 10_800, samples: spoken(user, 8.2, 1.5, USER_DB - 8) },
    ];
    const wholeMs = speechBetween(activity({ lengthMs: 15_000, heard, isLevelIgnored: true }), 9_600, 15_000);
    expect(speechBetween(activity({ lengthMs: 15_000, heard }), 9_600, 15_000)).toBeGreaterThan(0.8 * wholeMs);
  });

  it.runIf(isInstalled).each([15, 20])('of a second voice %i dB softer is no answer to a question', (softerDb) => {
    const events = activity({
      lengthMs: 15_000,
      agent: [{ atMs: LEARNT_MS + 1_000, samples: spoken(user, 3, 3, USER_DB) }],
      heard: [learning, { atMs: LEARNT_MS + 1_000, samples: spoken(other, 1, 8, USER_DB - softerDb) }],
    });
    expect(speechBetween(events, 9_200, 12_500)).toBeLessThan(300);
  });

  it.runIf(isInstalled).each([12, 15, 18])(
    'of a user who has moved away, %i dB softer, counts from the second answer on',
    (softerDb) => {
      const answers = [8_300, 13_100, 17_900].map((atMs, index) => ({
        atMs,
        samples: spoken(user, 4 + 2 * index, 1.6, USER_DB - softerDb),
      }));
      const questions = answers.map(({ atMs }, index) => ({
        atMs: atMs - 3_000,
        samples: spoken(other, 2 * index, 2.6, USER_DB),
      }));
      const events = activity({ lengthMs: 22_000, agent: questions, heard: [learning, ...answers] });
      for (const { atMs } of answers.slice(1)) expect(speechBetween(events, atMs, atMs + 1_600)).toBeGreaterThan(500);
    },
  );

  it.runIf(isInstalled).each([18, 20])(
    'of a second voice %i dB softer is no answer if it is heard under the agent too',
    (softerDb) => {
      const questions = [7_000, 10_800, 14_600].map((atMs, index) => ({
        atMs,
        samples: spoken(user, 2 * index, 1.2, USER_DB),
      }));
      const events = activity({
        lengthMs: 17_500,
        agent: questions,
        heard: [learning, { ...second(softerDb), atMs: 6_500 }],
      });
      expect(speechBetween(events, 6_500, 10_500)).toBeLessThan(500);
      expect(lastedAfter(events, 6_500).filter(({ atMs }) => atMs < 10_500)).toEqual([]);
    },
  );

  it.runIf(isInstalled)('of a second voice 18 dB softer is no answer once, if the user answers then', () => {
    const questions = [6_000, 11_500].map((atMs) => ({ atMs, samples: spoken(user, 3, 1.2, USER_DB) }));
    const heard = [
      learning,
      { atMs: 8_000, samples: spoken(other, 1, 1.2, USER_DB - 18) },
      { atMs: 9_600, samples: spoken(user, 6, 1.2, USER_DB) },
      { atMs: 13_500, samples: spoken(other, 4, 1.2, USER_DB - 18) },
    ];
    const events = activity({ lengthMs: 16_000, agent: questions, heard });
    expect(speechBetween(events, 8_000, 9_400)).toBe(0);
    expect(speechBetween(events, 13_400, 15_000)).toBe(0);
  });

  it.runIf(isInstalled)('of a voice that alone is heard for 5 s counts, and becomes the level', () => {
    const softly = { atMs: OTHER_MS, samples: spoken(other, 1, 16, USER_DB - 15) };
    const events = activity({ lengthMs: 24_000, heard: [learning, softly] });
    const countsMs = LEARNT_MS + FORGOTTEN_MS + 500;
    expect(speechBetween(events, countsMs, 22_000)).toBeGreaterThan(0.6 * (22_000 - countsMs));
    const still = activity({
      lengthMs: 24_000,
      heard: [learning, softly],
      agent: [{ atMs: countsMs + LEARNT_AGAIN_MS + 2_000, samples: spoken(user, 3, 6, USER_DB) }],
    });
    expect(speechBetween(still, 16_000, 22_000)).toBeGreaterThan(3_000);
  });
});

it('a second voice with pauses is reported with the start and the end of each stretch', () => {
  const learning = { atMs: LEARNING_MS, samples: spoken(WOMAN, 0, 4, USER_DB) };
  const second = { atMs: OTHER_MS, samples: spoken(MAN, 1, 3, USER_DB - 15) };
  const events = activity({ lengthMs: 10_000, heard: [learning, second] }).filter(({ atMs }) => atMs > OTHER_MS);
  expect(events.length).toBeGreaterThanOrEqual(4);
  expect(events.map(({ type }) => type)).toEqual(
    events.map((_, at) => (at % 2 === 0 ? 'background_speech_started' : 'background_speech_stopped')),
  );
  const times = events.map(({ audioMs }) => audioMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it('every voice counts before the level of the user is known', () => {
  const events = activity({ lengthMs: 6_000, heard: [{ atMs: 1_000, samples: spoken(WOMAN, 0, 4, -42) }] });
  const plain = activity({
    lengthMs: 6_000,
    heard: [{ atMs: 1_000, samples: spoken(WOMAN, 0, 4, -42) }],
    isLevelIgnored: true,
  });
  expect(speechOf(events)).toEqual(speechOf(plain));
});

it.each([[425], [440, 480], [350, 440], [697, 1_209], [1_000]])(
  'a loud tone of %i Hz is not the level of a user',
  (...frequenciesHz) => {
    const ringing = {
      atMs: 0,
      samples: joined([0, 1, 2].flatMap(() => [tone(frequenciesHz, 1_000, -8), new Int16Array(8_000)])),
    };
    const softUser = { atMs: 7_000, samples: spoken(WOMAN, 0, 2, -38) };
    const events = activity({ lengthMs: 10_000, heard: [ringing, softUser] });
    const plain = activity({ lengthMs: 10_000, heard: [ringing, softUser], isLevelIgnored: true });
    expect(speechBetween(events, 7_000, 10_000)).toBe(speechBetween(plain, 7_000, 10_000));
  },
);
