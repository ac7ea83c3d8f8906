import { parseArgs } from 'node:util';
import { atLevel, recordedSpeech, syntheticSpeech } from '../../fixtures/sound/recorded-speech.ts';
import { Speakerphone } from '../../fixtures/sound/speakerphone.ts';
import {
  PAUSE_AT_LASTING_SPEECH,
  PAUSE_AT_ONCE,
  type SpeakerphoneCall,
  type SpeakerphoneResult,
  speakerphoneCall,
} from '../../fixtures/sound/speakerphone-call.ts';
import { joined } from '../../fixtures/sound/synthesis.ts';
import { EchoDetector } from '../../sip/media/detection/echo/echo-detector.ts';
import { PlayedAudio } from '../../sip/media/detection/echo/played-audio.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * Echo detection of the media worker, in simulated time: pauses and length of a call on a speakerphone, without and with
 * it; the lag that it finds; and how much later than on a handset it hears a user who interrupts.
 *
 *     node bench/echo/main.ts [--short]
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const CODECS = values.short ? (['pcmu'] as const) : (['pcmu', 'pcma', 'g722', 'opus'] as const);
const DELAYS_MS = values.short ? [130, 750] : [40, 130, 250, 500, 750, 900];
const GAINS_DB = [-14, -20, -30];
const LEVEL_DB = -20;
/** When a user speaks over the agent, and the longest time until half a second of speech is reported. */
const INTERRUPTIONS_MS = [6_000, 9_700, 13_100, 17_000];
const REPORTED_WITHIN_MS = 2_600;
/** A call that stutters is given up after this. */
const CALL_MS_MAX = 120_000;
const FRAME_SAMPLES = 160;
const WARM_UP_ROUNDS = 10;
const ROUNDS = 40;
/** Nothing pauses the agent, so that all interruptions of one call are seen. */
const OBSERVED = { pausesAt: () => false, pauseMs: 0 };

const synthetic = ['address-woman', 'digits-man', 'greeting-woman', 'question-man-noise', 'goodbye-woman-noise'];
const recordedAgent = recordedSpeech('en_US_f_Allison/demo-congrats');
const recordedUser = recordedSpeech('fr_CA_f_June/vm-msginstruct');
const voices = [
  {
    name: 'synthetic',
    agent: joined([...synthetic, 'hesitation-woman', 'digits-man'].map(syntheticSpeech)),
    user: syntheticSpeech('digits-man').subarray(0, 16_000),
  },
  ...(recordedAgent === null || recordedUser === null
    ? []
    : [{ name: 'recorded', agent: recordedAgent, user: recordedUser.subarray(0, 16_000) }]),
].map(({ name, agent, user }) => ({ name, agent: atLevel(agent, LEVEL_DB), user: atLevel(user, LEVEL_DB) }));

const report = new Report('echo');
const details: object[] = [];
for (const voice of voices) {
  for (const codec of CODECS) {
    const spoken = { codec, agent: voice.agent };
    const user = INTERRUPTIONS_MS.map((atMs) => ({ atMs, samples: voice.user }));
    const handset = await speakerphoneCall({ ...spoken, policy: PAUSE_AT_LASTING_SPEECH });
    const heardMs = interruptionsMs(await speakerphoneCall({ ...spoken, user, policy: OBSERVED }));
    for (const gainDb of GAINS_DB) await addRow({ voice: voice.name, spoken, user, handset, heardMs, gainDb });
  }
}
if (voices.length === 1)
  report.note('Recorded speech: skipped, Debian’s asterisk-core-sounds-en-wav and -fr-wav are missing.');
for (const note of frameCosts()) report.note(note);
await report.finish(details);

interface RowOptions {
  readonly voice: string;
  readonly spoken: Pick<SpeakerphoneCall, 'codec' | 'agent'>;
  readonly user: NonNullable<SpeakerphoneCall['user']>;
  readonly handset: SpeakerphoneResult;
  readonly heardMs: readonly number[];
  readonly gainDb: number;
}

/** One row: all delays of one voice, codec and gain. */
async function addRow({ voice, spoken, user, handset, heardMs, gainDb }: RowOptions): Promise<void> {
  const before: SpeakerphoneResult[] = [];
  const after: SpeakerphoneResult[] = [];
  const lagErrorsMs: number[] = [];
  const latenessMs: number[] = [];
  for (const delayMs of DELAYS_MS) {
    const call = { ...spoken, echo: { delayMs, gainDb }, callMsMax: CALL_MS_MAX };
    before.push(await speakerphoneCall({ ...call, policy: PAUSE_AT_ONCE, isEchoIgnored: true }));
    const result = await speakerphoneCall({ ...call, policy: PAUSE_AT_LASTING_SPEECH });
    after.push(result);
    const learnt = result.events.findLast((event) => event.type === 'echo_learnt');
    if (learnt?.type === 'echo_learnt' && learnt.delayMs !== null) lagErrorsMs.push(Math.abs(learnt.delayMs - delayMs));
    const heard = interruptionsMs(await speakerphoneCall({ ...call, user, policy: OBSERVED }));
    latenessMs.push(...heard.map((ms, i) => ms - (heardMs[i] ?? 0)));
  }
  const lateness = percentilesOf(latenessMs);
  const lengthOf = (results: readonly SpeakerphoneResult[]) =>
    Math.max(...results.map(({ lengthMs }) => lengthMs)) / handset.lengthMs;
  report.add({
    voice,
    codec: spoken.codec,
    'gain dB': gainDb,
    calls: DELAYS_MS.length,
    'most pauses before': Math.max(...before.map(({ pauses }) => pauses)),
    after: Math.max(...after.map(({ pauses }) => pauses)),
    'longest before': `${lengthOf(before).toFixed(1)} ×`,
    'longest after': `${lengthOf(after).toFixed(2)} ×`,
    'lag found': `${lagErrorsMs.length}/${DELAYS_MS.length}`,
    'lag error ms': Math.max(0, ...lagErrorsMs),
    'interruption later p50 ms': lateness.p50,
    'max ms': lateness.max,
  });
  details.push({ voice, codec: spoken.codec, gainDb, before, after, latenessMs });
}

/** From the start of each interruption to the report that it has lasted for half a second. */
function interruptionsMs({ events }: SpeakerphoneResult): readonly number[] {
  return INTERRUPTIONS_MS.map((fromMs) => {
    const report = events.find(
      (event) => event.type === 'speech_lasted' && event.lastedMs === 500 && event.atMs >= fromMs,
    );
    return Math.min(REPORTED_WITHIN_MS, (report?.atMs ?? Number.POSITIVE_INFINITY) - fromMs);
  });
}

/** CPU of one frame in each direction, on the recorded or the synthetic voice. */
function frameCosts(): readonly string[] {
  const speech = voices.at(-1)?.agent ?? new Int16Array(0);
  const frames = Array.from({ length: Math.floor(speech.length / FRAME_SAMPLES) }, (_, i) =>
    speech.slice(i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES),
  );
  const phone = new Speakerphone({ delayMs: 130, gainDb: -20 });
  const echo = frames.map((frame) => Int16Array.from(phone.play(frame)));
  const silence = new Int16Array(FRAME_SAMPLES);
  const played = costOf(frames.length, (i, audio) => audio.agent(frames[i] ?? silence, FRAME_SAMPLES));
  const line = (name: string, received: (i: number) => Int16Array) => {
    const all = costOf(frames.length, (i, audio, detector) => {
      audio.agent(frames[i] ?? silence, FRAME_SAMPLES);
      detector.hear(received(i), false);
    });
    return `${name}: ${(all - played).toFixed(2)} µs a received frame.`;
  };
  return [
    `CPU: ${played.toFixed(2)} µs a played frame.`,
    line('Silent line', () => silence),
    line('Echo', (i) => echo[i] ?? silence),
    line('User and agent speak', (i) => frames[(i + 700) % frames.length] ?? silence),
  ];
}

function costOf(frames: number, act: (frame: number, played: PlayedAudio, detector: EchoDetector) => void): number {
  const played = new PlayedAudio();
  const detector = new EchoDetector(played, () => undefined);
  let start = process.cpuUsage();
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    if (round === WARM_UP_ROUNDS) start = process.cpuUsage();
    for (let frame = 0; frame < frames; frame++) act(frame, played, detector);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / (frames * ROUNDS);
}
