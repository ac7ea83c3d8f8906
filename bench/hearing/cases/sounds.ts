import { cadence, joined, noise, silence } from '../../../fixtures/sound/synthesis.ts';
import { always, countWords } from '../call/answers.ts';
import type { HeardCall, HearingCase, Judgement } from '../call/heard-case.ts';
import { longestSilence } from '../call/recorded-call.ts';
import { say, softer, sound } from '../call/spoken-line.ts';

const LONG_ANSWER =
  'There are three ways to reach us, and I am going to tell you about each of them in turn so that you can choose the one that suits you best today.';
const SOUND_SILENCE_MS_MAX = 100;
const MURMUR_SILENCE_MS_MAX = 700;
const SECOND_VOICE_DB = 15;

/** Sounds that are not speech, while the agent speaks. */
export function soundCases(): readonly HearingCase[] {
  const sounds: readonly (readonly [string, Int16Array])[] = [
    ['cough', burst(320, -14, 25, 3)],
    ['double cough', joined([burst(220, -14, 25, 3), silence(90), burst(180, -16, 25, 7)])],
    ['click', burst(15, -10, 2, 5)],
    ['three knocks', cadence(burst(60, -12, 2, 9), 90, 3)],
    ['thud', burst(250, -12, 5, 11)],
    ['keys', cadence(burst(25, -20, 2, 13), 65, 5)],
  ];
  const murmurs: readonly (readonly [string, Int16Array])[] = [
    [
      'murmur of 2 s',
      softer(say('mmm hm mmm mmmm hm mmm mm mmmm hmmm mmm', 'en', '+f4'), 6).samples.subarray(0, 16_000),
    ],
    ['hum of 2 s', softer(say('aaaaaaah oooooooh aaaaaaah ooooooh', 'en', '+m3'), 10).samples.subarray(0, 16_000)],
  ];
  return [
    ...sounds.map(([name, samples]) => overAnswer(name, samples, SOUND_SILENCE_MS_MAX)),
    ...murmurs.map(([name, samples]) => overAnswer(name, samples, MURMUR_SILENCE_MS_MAX)),
  ];
}

/** Another person near the phone, 15 dB softer than the user: between two turns, and over the agent. */
export function secondVoiceCases(): readonly HearingCase[] {
  const first = say('I would like to know how I can reach you.');
  const second = {
    ...softer(say('Darling, have you seen where I put the car keys this morning?', 'en', '+f4'), SECOND_VOICE_DB),
    isOfAnother: true,
  };
  const shared = {
    group: 'second voice',
    providers: {
      transcriber: { finalMs: 250, interimMs: 250 },
      voice: 'tone',
      language: 'en',
      answer: always(LONG_ANSWER),
    },
    userEntries: ['I would like to know how I can reach you.'],
    agentAnswers: 2,
  } as const;
  return [
    {
      ...shared,
      name: 'while the agent listens',
      steps: [
        { when: { type: 'agent_quiet', ms: 700 }, line: first },
        { when: { type: 'agent_quiet', ms: 1_000 }, line: second },
      ],
      hangUpAfterMs: 3_500,
    },
    {
      ...shared,
      name: 'while the agent speaks',
      steps: [
        { when: { type: 'agent_quiet', ms: 700 }, line: first },
        { when: { type: 'agent_speaking', ms: 2_000 }, line: second },
      ],
      judge: (heard) => judgeSilence(heard, SOUND_SILENCE_MS_MAX),
    },
    {
      ...shared,
      name: 'before the first turn',
      steps: [
        { when: { type: 'agent_quiet', ms: 700 }, line: first },
        { when: { type: 'after', ms: 40 }, line: second },
      ],
    },
  ];
}

function overAnswer(name: string, samples: Int16Array, silenceMsMax: number): HearingCase {
  return {
    group: 'sounds',
    name,
    providers: { transcriber: { finalMs: 250, interimMs: 250 }, voice: 'tone', language: 'en', answer: countWords },
    greeting: LONG_ANSWER,
    steps: [
      { when: { type: 'agent_speaking', ms: 2_500 }, line: sound(samples) },
      { when: { type: 'agent_quiet', ms: 700 }, line: say('Thank you very much.') },
    ],
    userEntries: ['Thank you very much.'],
    // A pause parts the greeting.
    ...(silenceMsMax === MURMUR_SILENCE_MS_MAX ? { agentAnswers: 0 } : {}),
    judge: (heard) => judgeSilence(heard, silenceMsMax),
  };
}

/** The longest silence inside the agent's stretch of speech over which the sound came. */
function judgeSilence({ recording, agentSpans }: HeardCall, silenceMsMax: number): Judgement {
  const silences = recording.lines.flatMap(({ fromMs, toMs }) => {
    const inside = agentSpans.filter((span) => span.fromMs < toMs + 3_000 && span.toMs > fromMs - 500);
    const first = inside.find((span) => span.fromMs < fromMs);
    const last = inside.at(-1);
    if (first === undefined || last === undefined || first.toMs < fromMs) return [];
    return [longestSilence(recording.agent, { fromMs: fromMs - 500, toMs: Math.min(last.toMs, toMs + 3_000) })];
  });
  const longest = Math.max(0, ...silences);
  const faults = longest > silenceMsMax ? [`silence of ${longest} ms in our voice, at most ${silenceMsMax}`] : [];
  return { figure: `silence ${longest} ms`, faults };
}

/** Noise that starts within some ms and fades: a cough, a knock, a click. */
function burst(lengthMs: number, levelDb: number, attackMs: number, seed: number): Int16Array {
  const samples = noise(lengthMs, levelDb, seed);
  const attack = attackMs * 8;
  return samples.map((sample, i) => {
    const gain = i < attack ? i / attack : Math.exp((-3 * (i - attack)) / (samples.length - attack));
    return Math.round(sample * gain);
  });
}
