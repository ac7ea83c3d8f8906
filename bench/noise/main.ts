import { activityOf, type BackgroundCall, type Sound, speechOf } from '../../fixtures/sound/background-call.ts';
import { atLevel, recordedSpeech, syntheticSpeech } from '../../fixtures/sound/recorded-speech.ts';
import { joined } from '../../fixtures/sound/synthesis.ts';
import { PlayedAudio } from '../../sip/media/detection/echo/played-audio.ts';
import { UserLevel } from '../../sip/media/detection/user-level.ts';
import { loadVoiceClassifiers, VoiceActivityDetector } from '../../sip/media/detection/voice-activity.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { ANSWERS, lossOf, lostShare, part, softAnswers, softer } from './soft-answers.ts';

/**
 * Voices beside the phone, in simulated time: turns and interruptions by a second voice or a television, without and with
 * the level that the media worker learns; and how much later it hears a user who interrupts over them. Then the user's own
 * answers, softer than before: how many the level takes for the background.
 *
 *     node bench/noise/main.ts
 */
const SAMPLES_PER_S = 8_000;
const FRAME_SAMPLES = 160;
const USER_DB = -22;
/** The user speaks for 4 s, the background for 14 s: first alone, then over the agent. Then the user interrupts both. */
const LEARNING_MS = 1_000;
const BACKGROUND_MS = 6_000;
const AGENT_MS = 9_000;
const INTERRUPTION_MS = 15_500;
const CALL_MS = 20_500;
/** Shorter activity contains no word. */
const TURN_MS_MIN = 300;
/** Speech of this length pauses the agent, at the default sensitivity. */
const PAUSING_MS = 500;
const LEVELS_DB = [-6, -10, -15, -20];
const SOFT_ANSWERS_DB = [-6, -8, -10, -12];
const BABBLE_VOICES = 3;
const WARM_UP_ROUNDS = 5;
const ROUNDS = 20;

const createClassifier = await loadVoiceClassifiers();
const synthetic = [
  ['address-woman', 'greeting-woman', 'goodbye-woman-noise', 'hesitation-woman'],
  ['digits-man', 'question-man-noise', 'greeting-man', 'stop-man'],
].map((names) => joined(names.map(syntheticSpeech)));
const recorded = ['en_US_f_Allison/demo-congrats', 'fr_CA_f_June/vm-msginstruct', 'es_MX_f_Allison/demo-congrats']
  .map(recordedSpeech)
  .filter((voice) => voice !== null);
const voices = [...synthetic, ...recorded].map((voice) => atLevel(voice, USER_DB));

const report = new Report('noise');
const details: object[] = [];
for (const levelDb of LEVELS_DB)
  addRow('second voice', levelDb, (user) => others(user).map((voice) => softer(voice, levelDb)));
for (const levelDb of [-10, -15, -20]) addRow('television', levelDb, (user) => [softer(babble(others(user)), levelDb)]);
if (recorded.length < 3)
  report.note('Recorded speech: skipped, Debian’s asterisk-core-sounds-en-wav, -es-wav and -fr-wav are missing.');
for (const note of [...softAnswerNotes(), ...frameCosts()]) report.note(note);
await report.finish(details);

function addRow(background: string, levelDb: number, soundsFor: (user: Int16Array) => readonly Int16Array[]): void {
  const before: Outcome[] = [];
  const after: Outcome[] = [];
  const latenessMs: number[] = [];
  for (const user of voices) {
    for (const sound of soundsFor(user)) {
      const call = noisyCall(user, sound);
      const plain = outcomeOf({ ...call, isLevelIgnored: true });
      const learnt = outcomeOf(call);
      before.push(plain);
      after.push(learnt);
      const alone = outcomeOf(noisyCall(user, new Int16Array(SAMPLES_PER_S)));
      if (alone.heardMs !== null && learnt.heardMs !== null && !learnt.isFalselyInterrupted)
        latenessMs.push(learnt.heardMs - alone.heardMs);
    }
  }
  const count = (outcomes: readonly Outcome[], counts: (outcome: Outcome) => boolean) => outcomes.filter(counts).length;
  const lateness = percentilesOf(latenessMs);
  report.add({
    background,
    'level dB': levelDb,
    calls: after.length,
    'false turns before': count(before, ({ hasFalseTurn }) => hasFalseTurn),
    after: count(after, ({ hasFalseTurn }) => hasFalseTurn),
    'false interruptions before': count(before, ({ isFalselyInterrupted }) => isFalselyInterrupted),
    'after ': count(after, ({ isFalselyInterrupted }) => isFalselyInterrupted),
    'missed interruptions before': count(before, ({ heardMs }) => heardMs === null),
    'after  ': count(after, ({ heardMs }) => heardMs === null),
    'interruption heard later p50 ms': latenessMs.length === 0 ? '–' : lateness.p50,
    'max ms': latenessMs.length === 0 ? '–' : lateness.max,
  });
  details.push({ background, levelDb, before, after, latenessMs });
}

interface Outcome {
  /** The background spoke while the agent listened, and counted as the user. */
  readonly hasFalseTurn: boolean;
  /** It spoke for half a second as the user, and paused the agent. */
  readonly isFalselyInterrupted: boolean;
  /** When half a second of the user's own interruption was reported; null: never. */
  readonly heardMs: number | null;
}

function outcomeOf(call: Omit<BackgroundCall, 'classifier'>): Outcome {
  const events = activityOf({ ...call, classifier: createClassifier() });
  const speech = speechOf(events);
  const longestMs = (fromMs: number, untilMs: number) =>
    Math.max(0, ...speech.map((one) => Math.min(one.untilMs, untilMs) - Math.max(one.fromMs, fromMs)));
  const isPaused = (event: (typeof events)[number]) => event.type === 'speech_lasted' && event.lastedMs === PAUSING_MS;
  const paused = events.find((event) => isPaused(event) && event.atMs >= INTERRUPTION_MS);
  // Activity that the background began is reported only once.
  const isHeard = speech.some(
    ({ fromMs, untilMs }) => fromMs < INTERRUPTION_MS && untilMs > INTERRUPTION_MS + PAUSING_MS,
  );
  return {
    hasFalseTurn: longestMs(BACKGROUND_MS, AGENT_MS) >= TURN_MS_MIN,
    isFalselyInterrupted: longestMs(AGENT_MS, INTERRUPTION_MS) >= PAUSING_MS,
    heardMs: paused?.atMs ?? (isHeard ? INTERRUPTION_MS : null),
  };
}

function noisyCall(user: Int16Array, background: Int16Array): Omit<BackgroundCall, 'classifier'> {
  const agent: readonly Sound[] = [{ atMs: AGENT_MS, samples: part(synthetic[0] ?? user, 2, 10) }];
  const heard = [
    { atMs: LEARNING_MS, samples: part(user, 0, 4) },
    { atMs: BACKGROUND_MS, samples: part(background, 1, 14) },
    { atMs: INTERRUPTION_MS, samples: part(user, 4, 3) },
  ];
  return { lengthMs: CALL_MS, agent, heard };
}

function others(user: Int16Array): readonly Int16Array[] {
  return voices.filter((voice) => voice !== user);
}

/** Several people at once, at the user's level together. */
function babble(speakers: readonly Int16Array[]): Int16Array {
  const parts = speakers.slice(0, BABBLE_VOICES).map((speaker, i) => part(speaker, 2 * i, 15));
  return atLevel(
    Int16Array.from(
      { length: 15 * SAMPLES_PER_S },
      (_, i) => parts.reduce((sum, voice) => sum + (voice[i] ?? 0), 0) / 2,
    ),
    USER_DB,
  );
}

function softAnswerNotes(): readonly string[] {
  const activity = (call: Omit<BackgroundCall, 'classifier'>) =>
    activityOf({ ...call, classifier: createClassifier() });
  return ANSWERS.flatMap((answer) =>
    SOFT_ANSWERS_DB.map((levelDb) => {
      const shares = voices.flatMap((user) =>
        softAnswers(user, synthetic[0] ?? user, answer, levelDb).map((call) => lostShare(call, activity)),
      );
      const { half, any } = lossOf(shares);
      details.push({ answer, levelDb, shares });
      return `Answer at ${levelDb} dB (${answer}): ${half} of ${shares.length} lost, ${any} with a word lost.`;
    }),
  );
}

/** CPU of a received frame of speech, without and with the level. */
function frameCosts(): readonly string[] {
  const speech = voices.at(-1) ?? new Int16Array(0);
  const frames = Array.from({ length: Math.floor(speech.length / FRAME_SAMPLES) }, (_, i) =>
    speech.slice(i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES),
  );
  const costOf = (level: UserLevel | null) => {
    const detector = new VoiceActivityDetector(createClassifier(), undefined, null, level);
    let start = process.cpuUsage();
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      if (round === WARM_UP_ROUNDS) start = process.cpuUsage();
      for (const frame of frames) detector.write(frame, FRAME_SAMPLES, () => undefined);
    }
    const { user, system } = process.cpuUsage(start);
    detector.free();
    return (user + system) / (frames.length * ROUNDS);
  };
  costOf(null);
  const before = costOf(null);
  const after = costOf(new UserLevel(new PlayedAudio()));
  return [
    `CPU: voice activity ${before.toFixed(2)} µs a received frame of speech without the level, ${after.toFixed(2)} µs with it.`,
  ];
}
