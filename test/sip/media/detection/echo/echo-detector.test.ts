import { beforeAll, describe, expect, it } from 'vitest';
import { atLevel, recordedSpeech, syntheticSpeech } from '../../../../../fixtures/sound/recorded-speech.ts';
import { Speakerphone, seeded } from '../../../../../fixtures/sound/speakerphone.ts';
import { joined } from '../../../../../fixtures/sound/synthesis.ts';
import { EchoDetector } from '../../../../../sip/media/detection/echo/echo-detector.ts';
import { PlayedAudio } from '../../../../../sip/media/detection/echo/played-audio.ts';
import {
  loadVoiceClassifiers,
  type VoiceActivity,
  VoiceActivityDetector,
  type VoiceClassifier,
} from '../../../../../sip/media/detection/voice-activity.ts';

const FRAME = 160;
const FRAME_MS = 20;
const SAMPLES_PER_MS = 8;
const LEVEL_DB = -20;
const LINE_NOISE_DB = -65;
/** The agent's voice: 20 s. */
const AGENT = atLevel(
  joined(
    ['address-woman', 'digits-man', 'greeting-woman', 'question-man-noise', 'goodbye-woman-noise', 'digits-man'].map(
      syntheticSpeech,
    ),
  ),
  LEVEL_DB,
);
const USER = atLevel(syntheticSpeech('address-woman'), LEVEL_DB);
const RECORDED_AGENT = recordedSpeech('en_US_f_Allison/demo-congrats');
const RECORDED_USER = recordedSpeech('fr_CA_f_June/vm-msginstruct');
/** The echo is known after this much of it. */
const LEARNING_MS = 2_500;
/** When the user speaks over the agent. */
const USER_MS = 8_000;
const INTERRUPTION_DELAY_MS_MAX = 150;

const ECHOES = [40, 130, 350, 500, 750, 900].flatMap((delayMs) =>
  [-14, -20, -30].map((gainDb) => ({ delayMs, gainDb })),
);

let createClassifier: () => VoiceClassifier;
beforeAll(async () => {
  createClassifier = await loadVoiceClassifiers();
});

interface Call {
  readonly agent?: Int16Array;
  readonly echo?: { readonly delayMs: number; readonly gainDb: number };
  /** Ends the echo: the user lifts the handset. */
  readonly echoUntilMs?: number;
  readonly user?: readonly { readonly atMs: number; readonly samples: Int16Array }[];
  readonly noiseDb?: number;
  /** When the frame that the phone sends at this moment arrives, in order; `MISSING`: never. */
  readonly arrivalMs?: (sentMs: number) => number;
  /** Missing frames end the stream of the phone, and another one begins. */
  readonly isRestarted?: boolean;
}

const MISSING = Number.POSITIVE_INFINITY;

type Report = (VoiceActivity | { readonly type: 'echo_learnt'; readonly delayMs: number | null }) & {
  readonly atMs: number;
};

/** Plays a call frame by frame, and returns what its voice activity reports. */
function reportsOf({
  agent = AGENT,
  echo,
  echoUntilMs = Number.POSITIVE_INFINITY,
  user = [],
  noiseDb,
  arrivalMs = (sentMs) => sentMs,
  isRestarted = false,
}: Call): Report[] {
  const reports: Report[] = [];
  let nowMs = 0;
  const played = new PlayedAudio();
  const report = (event: VoiceActivity) => reports.push({ ...event, atMs: nowMs });
  const detector = new EchoDetector(played, (delayMs) => reports.push({ type: 'echo_learnt', delayMs, atMs: nowMs }));
  const activity = new VoiceActivityDetector(createClassifier(), undefined, detector);
  const phone = echo === undefined ? null : new Speakerphone(echo);
  const random = seeded(3);
  const noise = 32_768 * 10 ** ((noiseDb ?? LINE_NOISE_DB) / 20) * Math.sqrt(3);
  const arriving: { readonly atMs: number; readonly samples: Int16Array; readonly missingBefore: number }[] = [];
  let missing = 0;
  for (let at = 0; at < agent.length + 12_000; at += FRAME) {
    nowMs = at / SAMPLES_PER_MS;
    const frame = new Int16Array(FRAME);
    frame.set(agent.subarray(at, at + FRAME));
    const wide = Int16Array.from({ length: 2 * FRAME }, (_, i) => frame[i >> 1] ?? 0);
    played.agentWide(wide, wide.length);
    const returned = phone?.play(frame);
    const sent = new Int16Array(FRAME);
    for (let i = 0; i < FRAME; i++) {
      let sample = (random() * 2 - 1) * noise + (nowMs < echoUntilMs ? (returned?.[i] ?? 0) : 0);
      for (const { atMs, samples } of user) sample += samples[at + i - atMs * SAMPLES_PER_MS] ?? 0;
      sent[i] = Math.max(-32_768, Math.min(32_767, sample));
    }
    const arrivesAtMs = arrivalMs(nowMs);
    if (arrivesAtMs === MISSING) missing += FRAME;
    else {
      arriving.push({ atMs: arrivesAtMs, samples: sent, missingBefore: missing });
      missing = 0;
    }
    for (let next = arriving[0]; next !== undefined && next.atMs <= nowMs; next = arriving[0]) {
      arriving.shift();
      if (next.missingBefore > 0 && isRestarted) detector.restart();
      else detector.skip(next.missingBefore);
      activity.write(next.samples, FRAME, report);
    }
  }
  activity.free();
  return reports;
}

const delaysOf = (reports: readonly Report[]) =>
  reports.flatMap((report) => (report.type === 'echo_learnt' ? [report.delayMs] : []));

function firstMs(reports: readonly Report[], type: Report['type'], lastedMs?: number): number | undefined {
  return reports.find(
    (report) =>
      report.type === type &&
      report.atMs >= USER_MS &&
      (lastedMs === undefined || ('lastedMs' in report && report.lastedMs === lastedMs)),
  )?.atMs;
}

/** Speech of a person; the synthetic voice stands in where the recordings are not installed. */
describe.each([
  { voice: 'synthetic speech', agent: AGENT, user: USER },
  {
    voice: 'recorded speech (skipped without Debian’s asterisk-core-sounds-en-wav and -fr-wav)',
    agent: RECORDED_AGENT,
    user: RECORDED_USER,
  },
])('the echo of the agent: $voice', ({ agent: agentSpeech, user: userSpeech }) => {
  const isInstalled = agentSpeech !== null && userSpeech !== null;
  const agent = atLevel(agentSpeech ?? AGENT, LEVEL_DB);
  const user = [{ atMs: USER_MS, samples: atLevel((userSpeech ?? USER).subarray(0, 16_000), LEVEL_DB) }];

  it.runIf(isInstalled).each(ECHOES)('of $delayMs ms and $gainDb dB is found and is no voice activity', (echo) => {
    const reports = reportsOf({ agent, echo });
    const delays = delaysOf(reports);
    expect(delays).toHaveLength(1);
    expect(Math.abs((delays[0] ?? Number.NaN) - echo.delayMs)).toBeLessThanOrEqual(FRAME_MS);
    const isKnownFromMs = echo.delayMs + LEARNING_MS;
    expect(reports.filter(({ type, atMs }) => type === 'speech_started' && atMs > isKnownFromMs)).toEqual([]);
    expect(reports.filter(({ type }) => type === 'speech_lasted')).toEqual([]);
  });

  it.runIf(isInstalled).each(ECHOES)('of $delayMs ms and $gainDb dB hides no user who interrupts', (echo) => {
    const without = reportsOf({ agent, user });
    const reports = reportsOf({ agent, user, echo });
    for (const lastedMs of [200, 500]) {
      const delayMs =
        (firstMs(reports, 'speech_lasted', lastedMs) ?? Number.NaN) -
        (firstMs(without, 'speech_lasted', lastedMs) ?? Number.NaN);
      expect(delayMs).toBeLessThanOrEqual(INTERRUPTION_DELAY_MS_MAX);
    }
  });
});

/** When the network begins to fail: the echo is known. */
const FAULT_MS = 8_000;
/** The lag, 20 frames, and these 45 frames are longer than the longest lag that is searched. */
const STALL_MS = 900;
const LONG_GAP_MS = 1_500;
const HOLD_MS = 3_000;
const DELAY_MS = 100;
const LONG_DELAY_MS = 1_000;
const isWithin = (ms: number, lengthMs: number) => ms >= FAULT_MS && ms < FAULT_MS + lengthMs;

/** A network that delivers the audio of 0.5 s of each second at its end. */
const STALLED_MS = 500;
const stalling = (ms: number) => (ms % 1_000 < 1_000 - STALLED_MS ? ms : ms - (ms % 1_000) + 1_000);

it('an echo is learnt as soon over a network that stalls again and again', () => {
  const echo = { delayMs: 400, gainDb: -14 };
  const learntMs = (call: Call) => reportsOf(call).find(({ type }) => type === 'echo_learnt')?.atMs ?? Number.NaN;
  const withoutStalls = learntMs({ echo });
  expect(learntMs({ echo, arrivalMs: stalling })).toBeLessThanOrEqual(withoutStalls + STALLED_MS);
});

describe('a known echo', () => {
  it.each<Call & { readonly network: string }>([
    {
      network: 'a stall that delivers its audio at once',
      arrivalMs: (ms) => (isWithin(ms, STALL_MS) ? FAULT_MS + STALL_MS : ms),
    },
    {
      network: 'a gap that is not filled',
      arrivalMs: (ms) => (isWithin(ms, LONG_GAP_MS) ? MISSING : ms),
    },
    {
      network: 'a gap between two streams with the same delay',
      arrivalMs: (ms) => (isWithin(ms, HOLD_MS) ? MISSING : ms + (ms < FRAME_MS ? 0 : DELAY_MS)),
      isRestarted: true,
    },
    {
      network: 'a longer delay from then on',
      arrivalMs: (ms) => ms + (ms < FAULT_MS ? 0 : LONG_DELAY_MS),
    },
  ])('is still no voice activity after $network', (call) => {
    const echo = { delayMs: 400, gainDb: -14 };
    const reports = reportsOf({ ...call, echo });
    expect(delaysOf(reports)).toHaveLength(1);
    expect(reports.filter(({ type, atMs }) => type === 'speech_started' && atMs >= FAULT_MS)).toEqual([]);
  });
});

describe('a line without echo', () => {
  it('is not taken for one with echo while the user speaks over the agent', () => {
    const user = [1_000, 6_000, 12_000].map((atMs) => ({ atMs, samples: USER }));
    const reports = reportsOf({ user });
    const delays = delaysOf(reports);
    // A resemblance by chance is given up before the user speaks again.
    expect(delays.at(-1) ?? null).toBeNull();
    for (const { atMs } of user) {
      const started = reports.find((report) => report.type === 'speech_started' && report.atMs >= atMs);
      expect(started?.atMs).toBeLessThanOrEqual(atMs + INTERRUPTION_DELAY_MS_MAX);
    }
  });

  it('counts speech as the user’s own after 1.5 s of the agent’s speech at the latest', () => {
    const reports = reportsOf({ user: [{ atMs: 1_500, samples: USER }] });
    expect(reports.find(({ type }) => type === 'speech_lasted')?.atMs).toBeLessThan(1_900);
  });
});

describe('the echo of the agent', () => {
  it('does not count as lasting speech before it is known', () => {
    const echo = { delayMs: 350, gainDb: -14 };
    const reports = reportsOf({ echo });
    expect(reports[0]).toMatchObject({ type: 'speech_started' });
    expect(reports.some(({ type }) => type === 'speech_lasted')).toBe(false);
  });

  it('is found over the noise of a car', () => {
    const reports = reportsOf({ echo: { delayMs: 350, gainDb: -14 }, noiseDb: -42 });
    expect(Math.abs((delaysOf(reports)[0] ?? Number.NaN) - 350)).toBeLessThanOrEqual(FRAME_MS);
    expect(reports.filter(({ type }) => type === 'speech_lasted')).toEqual([]);
  });

  it('is forgotten once the line no longer returns it', () => {
    const reports = reportsOf({ echo: { delayMs: 350, gainDb: -14 }, echoUntilMs: 8_000 });
    expect(delaysOf(reports).at(-1)).toBeNull();
  });

  it('does not matter once the agent is silent', () => {
    const echo = { delayMs: 350, gainDb: -14 };
    const agent = AGENT.subarray(0, 5_000 * SAMPLES_PER_MS);
    const user = [{ atMs: USER_MS, samples: USER }];
    const silence = new Int16Array(8_000 * SAMPLES_PER_MS);
    const started = (call: Call) => firstMs(reportsOf(call), 'speech_started');
    const withSilence = joined([agent, silence]);
    expect(started({ agent: withSilence, user, echo })).toBe(started({ agent: withSilence, user }));
  });
});
