import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../engine/languages/words.ts';
import { PROPERTY_TIMEOUT_MS, runs } from '../properties/runs.ts';
import { Simulation } from '../simulation/simulation.ts';
import { unevenWordTimes } from '../simulation/word-times.ts';

const CHARACTER_MS = 50;
/** The turn is committed at 1.2 s; model and voice take 0.3 s. */
const FROM_MS = 1_500;

const word = fc.constantFrom(
  'table',
  "don't",
  'Mr. Ng,',
  'été',
  '7:30',
  'a',
  'twenty-two',
  '«well»',
  'straße;',
  'I',
  'so—',
);
const sentence = fc
  .array(word, { minLength: 1, maxLength: 8 })
  .map((words) => `${words.join(' ')}${words.length % 2 === 0 ? '.' : '!'}`);
const answer = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((sentences) => sentences.join(' '));
const cut = fc.record({
  /** What of the answer has left on the wire, in ms. */
  playedMs: fc.integer({ min: 1, max: 4_000 }),
  by: fc.constantFrom('words', 'keys', 'say', 'hangUp'),
  wordTimes: fc.boolean(),
});

function cutAt(text: string, { playedMs, by, wordTimes }: typeof cut extends fc.Arbitrary<infer T> ? T : never) {
  const at = (FROM_MS + playedMs) / 1000;
  const call = new Simulation({
    agent: {},
    model: [{ text }],
    voice: wordTimes ? { wordTimes: 'uneven' } : {},
  }).userSpeaks(0.5, 1, 'Hello?');
  if (by === 'words') {
    call
      .at(at, (one) => one.media.emit({ type: 'speech_started', audioMs: at * 1000 }))
      .interimAt(at + 0.1, at, 'Stop')
      .at(at + 0.6, (one) => one.media.emit({ type: 'speech_stopped', audioMs: (at + 0.6) * 1000 }))
      .at(at + 0.7, (one) => one.emitFinal(at, at + 0.6, 'Stop it.'));
  }
  if (by === 'keys') {
    for (const digit of ['1', '#']) call.at(at, (one) => one.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
  }
  if (by === 'say') {
    call
      .at(at, (one) => one.handle.post({ type: 'call.say', text: 'Wait.', interrupt: true }))
      .userSpeaks(at + 5, at + 6, 'What is it?');
  }
  if (by === 'hangUp') call.hangUpAt(at);
  return call.runUntil(at + 20);
}

describe('what was heard of an answer that is cut', () => {
  it(
    'is the same to the word for the transcript and for the model, wherever it is cut',
    () => {
      fc.assert(
        fc.property(answer, cut, (text, given) => {
          const call = cutAt(text, given);
          const line = call.transcript.find(({ role }) => role === 'agent');
          const heard = line?.content ?? '';
          const generated = wordsOf(text);
          // A beginning of what was generated, by words and by characters.
          expect(generated.slice(0, wordsOf(heard).length)).toEqual(wordsOf(heard));
          expect(text.startsWith(heard)).toBe(true);
          // Every segment that has left whole, and of the next one the words whose last sample has.
          expect(wordsOf(heard)).toEqual(wordsOf(expectedHeard(call, given.wordTimes)));
          const told = call.modelRequests[1]?.messages.find(({ role }) => role === 'assistant');
          if (given.by !== 'hangUp' && given.by !== 'say') expect(told?.content ?? '').toBe(heard);
          if (given.by === 'say') expect(told?.content).toBe(heard === '' ? 'Wait.' : `${heard} Wait.`);
          if (line?.role === 'agent') expect(line.generatedContent ?? line.content).toContain(heard);
        }),
        { numRuns: runs(300) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

/** From what left on the wire, and how the voice said it. */
function expectedHeard(call: Simulation, wordTimes: boolean): string {
  const played = new Map<string, { text: string; ms: number }>();
  for (const { segment, fromMs, toMs } of call.media.sentAudio) {
    const text = call.textOf(segment);
    if (text === 'Wait.' || text === 'Yes.') continue;
    const before = played.get(String(segment))?.ms ?? 0;
    played.set(String(segment), { text, ms: before + toMs - fromMs });
  }
  return [...played.values()].map(({ text, ms }) => heardPart(text, ms, wordTimes)).join(' ');
}

function heardPart(text: string, playedMs: number, wordTimes: boolean): string {
  const wholeMs = text.length * CHARACTER_MS;
  if (playedMs >= wholeMs) return text;
  if (wordTimes) {
    const words = unevenWordTimes(text, wholeMs).filter(({ endMs }) => endMs <= playedMs);
    return words.map((one) => one.text).join(' ');
  }
  // In proportion: a word is heard where its last character has been.
  const characters = Math.floor(playedMs / CHARACTER_MS + 1e-9);
  const cutWord = /[\p{L}\p{M}\p{N}](?:['’.-]?[\p{L}\p{M}\p{N}])*['’.-]?$/u;
  const goesOn = /^['’.-]?[\p{L}\p{M}\p{N}]/u.test(text.slice(characters));
  const head = text.slice(0, characters);
  return goesOn ? head.replace(cutWord, '') : head;
}

describe('the transcript', () => {
  it(
    'ends a line when its last sample has left the wire, wherever it is cut',
    () => {
      fc.assert(
        fc.property(answer, cut, (text, given) => {
          const call = cutAt(text, given);
          const line = call.transcript.find(({ role }) => role === 'agent');
          const wire = call.media.sentAudio.filter(({ segment }) => !['Wait.', 'Yes.'].includes(call.textOf(segment)));
          const leftMs = Math.max(...wire.map(({ toMs }) => toMs));
          if (line !== undefined) expect(Math.abs((line.endUs ?? 0) / 1000 - leftMs)).toBeLessThanOrEqual(1);
        }),
        { numRuns: runs(300) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it(
    'is ordered by when its entries began, whenever their words became known',
    () => {
      fc.assert(
        fc.property(answer, cut, (text, given) => {
          const call = cutAt(text, { ...given, by: 'words' });
          const starts = call.transcript.map(({ startUs }) => startUs);
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          const roles = call.transcript.map(({ role }) => role);
          const isOver = !roles.includes('agent');
          expect(roles.slice(0, 3)).toEqual(isOver ? ['user', 'user'] : ['user', 'agent', 'user']);
          const [, line] = call.transcript;
          if (line?.role === 'agent') expect(line.startUs).toBe(FROM_MS * 1000);
        }),
        { numRuns: runs(100) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
