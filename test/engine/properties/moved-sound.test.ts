import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/**
 * A scripted call of 40 s with an initial message, questions, a backchannel, a tool and say requests. One more sound of the
 * user is moved over it: whenever it comes, every word is kept and every question answered.
 */

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  timeout: 60,
  filler_sentence: 'Let me look that up for you.',
};
const GREETING = 'Hello and welcome to the shop.';
const SAY_REQUESTS = [
  { at: 10.5, text: 'Your order is ready.' },
  { at: 33, text: 'We close soon.' },
];
const UTTERANCES = [
  { from: 4, to: 5, text: 'Tell me about the red one.' },
  { from: 6.5, to: 6.8, text: 'Mhm.' },
  { from: 12, to: 13, text: 'Where is my parcel?' },
  { from: 28, to: 29, text: 'How much is it?' },
  { from: 35, to: 36.2, text: 'Thanks, that was all for me.' },
];
const QUESTION = 'Okay, do you sell chairs?';
/** The longest silence after a question of the user. */
const SILENCE_MS_MAX = 4_000;
/** Two sounds of one party are never nearer to each other, in s. */
const APART = 0.3;
/** Each call takes 30 ms of CPU: the moments are far apart, and other ones for each sound. */
const STEP = 1.3;

interface MovedSound {
  readonly name: string;
  /** Length of the sound, and the latency of its words. In s. */
  readonly lasts: number;
  readonly wordsAfter: number;
  readonly text: string | null;
  readonly plan: (call: Simulation, at: number) => unknown;
}

const activity = (call: Simulation, from: number, to: number) =>
  call
    .at(from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));

const SOUNDS: readonly MovedSound[] = [
  { name: 'a cough', lasts: 0.25, wordsAfter: 0, text: null, plan: (call, at) => activity(call, at, at + 0.25) },
  {
    name: 'words with voice activity',
    lasts: 1.1,
    wordsAfter: 0.2,
    text: QUESTION,
    plan: (call, at) => {
      call.at(at + 0.5, () => call.media.emit({ type: 'speech_lasted', audioMs: at * 1000, lastedMs: 500 }));
      call.interimAt(at + 0.5, at, 'Okay, do').userSpeaks(at, at + 1.1, QUESTION);
    },
  },
  {
    name: 'words without voice activity',
    lasts: 1.1,
    wordsAfter: 0.2,
    text: QUESTION,
    plan: (call, at) => call.at(at + 1.3, () => call.emitFinal(at, at + 1.1, QUESTION)),
  },
  {
    name: 'a backchannel whose late final is a question',
    lasts: 0.5,
    wordsAfter: 1.9,
    text: QUESTION,
    plan: (call, at) => call.interimAt(at + 0.4, at, 'Okay').userSpeaks(at, at + 0.5, QUESTION, { finalAfter: 1.9 }),
  },
  {
    name: 'words that come 3 s late',
    lasts: 1,
    wordsAfter: 3,
    text: QUESTION,
    plan: (call, at) => call.userSpeaks(at, at + 1, QUESTION, { finalAfter: 3 }),
  },
];

function scriptedCall(): Simulation {
  const call = new Simulation({
    agent: { initial_message: GREETING, states: [{ name: 'start', tools: [LOOKUP] }] },
    tools: { lookup: { after: 9, result: { content: '{"place":"Lyon"}' } } },
    model: [
      { text: 'It is a lamp of good light. It costs ten and comes in a box with a bulb that lasts.', after: 0.4 },
      { toolCalls: [{ name: 'lookup' }], after: 0.4 },
      ...Array.from({ length: 8 }, (_, number) => ({
        text: `Answer number ${number}. It goes on for a while.`,
        after: 0.4,
      })),
    ],
  });
  for (const { from, to, text } of UTTERANCES) call.userSpeaks(from, to, text);
  for (const { at, text } of SAY_REQUESTS)
    call.at(at, () => call.handle.post({ type: 'call.say', text, interrupt: false }));
  return call;
}

const timesIn = (texts: readonly string[], part: string) => texts.join(' | ').split(part).length - 1;

function faultsOf(
  call: Simulation,
  moved: readonly { readonly to: number; readonly text: string }[],
): readonly string[] {
  const said = [...UTTERANCES, ...moved];
  const userTexts = call.transcript.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  const agentTexts = call.transcript.flatMap((entry) =>
    entry.role === 'agent' ? [entry.generatedContent ?? entry.content] : [],
  );
  const asked = call.modelRequests.flatMap(({ messages }) => messages.map(({ content }) => content));
  const startsMs = [...call.heard.map(({ fromMs }) => fromMs), ...UTTERANCES.map(({ from }) => from * 1000)];
  const endsMs = call.heard.map(({ toMs }) => toMs);
  return [
    ...said
      .filter(({ text }) => timesIn(userTexts, text) !== 1)
      .map(({ text }) => `not once in the transcript: ${text}`),
    ...[GREETING, ...SAY_REQUESTS.map(({ text }) => text)]
      .filter((text) => timesIn(agentTexts, text) !== 1)
      .map((text) => `not said once: ${text}`),
    ...moved.filter(({ text }) => timesIn(asked, text) === 0).map(({ text }) => `never asked about: ${text}`),
    ...said
      .filter(({ to, text }) => {
        const isHeard = [...startsMs, ...endsMs].some((ms) => ms > to * 1000 && ms <= to * 1000 + SILENCE_MS_MAX);
        return text !== 'Mhm.' && !isHeard;
      })
      .map(({ text }) => `silence after: ${text}`),
    ...call.faultNotices.map(({ type }) => type),
  ];
}

describe('a sound of the user at any moment of a call', () => {
  it.each(SOUNDS.map((sound, index) => ({ ...sound, index })))('loses and doubles nothing: $name', (sound) => {
    const { index, lasts, plan, text, wordsAfter } = sound;
    const faults: string[] = [];
    for (let at = 0.1 + index * 0.25; at < 38; at += STEP) {
      const isApart = UTTERANCES.every(({ from, to }) => at > to + APART || at + lasts < from - APART);
      if (!isApart) continue;
      const call = scriptedCall();
      plan(call, at);
      call.runUntil(60);
      const moved = text === null ? [] : [{ to: at + lasts + wordsAfter, text }];
      faults.push(...faultsOf(call, moved).map((fault) => `at ${at.toFixed(2)} s: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
