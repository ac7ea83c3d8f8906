import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../engine/languages/words.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { CHARACTER_MS, RESPONSE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';
import { unevenWordTimes } from '../simulation/word-times.ts';

const USER_SPEECH_END_MS = 1_000;
const ANSWER_START_MS = USER_SPEECH_END_MS + RESPONSE_MS;

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
const anyInterruption = fc.record({
  /** How much of the answer has been played, in ms. */
  playedMs: fc.integer({ min: 1, max: 4_000 }),
  by: fc.constantFrom('words', 'keys', 'say', 'hangUp'),
  wordTimes: fc.boolean(),
});

function callInterruptedAt(
  text: string,
  { playedMs, by, wordTimes }: typeof anyInterruption extends fc.Arbitrary<infer T> ? T : never,
) {
  const at = (ANSWER_START_MS + playedMs) / 1000;
  const call = new Simulation({
    agent: {},
    model: [{ text }],
    voice: wordTimes ? { wordTimes: 'uneven' } : {},
  }).userSpeaks(0.5, 1, 'Hello?');
  if (by === 'words') {
    call
      .at(at, (call) => call.media.emit({ type: 'speech_started', audioMs: at * 1000 }))
      .interimAt(at + 0.1, at, 'Stop')
      .at(at + 0.6, (call) => call.media.emit({ type: 'speech_stopped', audioMs: (at + 0.6) * 1000 }))
      .at(at + 0.7, (call) => call.emitFinal(at, at + 0.6, 'Stop it.'));
  }
  if (by === 'keys') {
    for (const digit of ['1', '#']) call.at(at, (call) => call.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
  }
  if (by === 'say') {
    call
      .at(at, (call) => call.handle.post({ type: 'call.say', text: 'Wait.', interrupt: true }))
      .userSpeaks(at + 5, at + 6, 'What is it?');
  }
  if (by === 'hangUp') call.hangUpAt(at);
  return call.runUntil(at + 20);
}

/** The entry of the first answer; the later ones are «Wait.» and «Yes.» */
const answerEntry = (call: Simulation) =>
  call.transcript.find(({ role, content }) => role === 'agent' && content !== 'Wait.' && content !== 'Yes.');

describe('the played text of an interrupted answer', () => {
  it(
    'is equal in transcript and model history and ends with its last sample, wherever the interruption falls',
    () => {
      fc.assert(
        fc.property(answer, anyInterruption, (text, interruption) => {
          const call = callInterruptedAt(text, interruption);
          const agentEntry = answerEntry(call);
          const playedContent = agentEntry?.content ?? '';
          const generated = wordsOf(text);
          // It is a prefix of the generated text, by words and by characters.
          expect(generated.slice(0, wordsOf(playedContent).length)).toEqual(wordsOf(playedContent));
          expect(text.startsWith(playedContent)).toBe(true);
          // It contains every segment that was played whole, and the finished words of the next one.
          expect(wordsOf(playedContent)).toEqual(wordsOf(expectedPlayedText(call, interruption.wordTimes)));
          const historyMessage = call.modelRequests[1]?.messages.find(({ role }) => role === 'assistant');
          if (interruption.by !== 'hangUp' && interruption.by !== 'say')
            expect(historyMessage?.content ?? '').toBe(playedContent);
          if (interruption.by === 'say')
            expect(historyMessage?.content).toBe(playedContent === '' ? 'Wait.' : `${playedContent} Wait.`);
          if (agentEntry?.role !== 'agent') return;
          expect(agentEntry.generatedContent ?? agentEntry.content).toContain(playedContent);
          // The entry ends when its last sample was played.
          const answerAudio = call.media.sentAudio.filter(
            ({ segment }) => !['Wait.', 'Yes.'].includes(call.textOf(segment)),
          );
          const lastSampleMs = Math.max(...answerAudio.map(({ toMs }) => toMs));
          expect(Math.abs((agentEntry.endUs ?? 0) / 1000 - lastSampleMs)).toBeLessThanOrEqual(1);
        }),
        { numRuns: propertyRuns(150) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

/** The expected text, from the audio that was sent and the pace of the voice. */
function expectedPlayedText(call: Simulation, wordTimes: boolean): string {
  const played = new Map<string, { text: string; ms: number }>();
  for (const { segment, fromMs, toMs } of call.media.sentAudio) {
    const text = call.textOf(segment);
    if (text === 'Wait.' || text === 'Yes.') continue;
    const before = played.get(String(segment))?.ms ?? 0;
    played.set(String(segment), { text, ms: before + toMs - fromMs });
  }
  return [...played.values()].map(({ text, ms }) => playedPart(text, ms, wordTimes)).join(' ');
}

function playedPart(text: string, playedMs: number, wordTimes: boolean): string {
  const wholeMs = text.length * CHARACTER_MS;
  if (playedMs >= wholeMs) return text;
  if (wordTimes) {
    const words = unevenWordTimes(text, wholeMs).filter(({ endMs }) => endMs <= playedMs);
    return words.map((word) => word.text).join(' ');
  }
  // Without word times, a word counts if its last character was played, at an even pace.
  const characters = Math.floor(playedMs / CHARACTER_MS + 1e-9);
  const incompleteWord = /[\p{L}\p{M}\p{N}](?:['’.-]?[\p{L}\p{M}\p{N}])*['’.-]?$/u;
  const wordContinues = /^['’.-]?[\p{L}\p{M}\p{N}]/u.test(text.slice(characters));
  const head = text.slice(0, characters);
  return wordContinues ? head.replace(incompleteWord, '') : head;
}

describe('the transcript', () => {
  it(
    'is sorted by the start of its entries, whenever their words became known',
    () => {
      fc.assert(
        fc.property(answer, anyInterruption, (text, interruption) => {
          const call = callInterruptedAt(text, { ...interruption, by: 'words' });
          const starts = call.transcript.map(({ startUs }) => startUs);
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          const roles = call.transcript.map(({ role }) => role);
          const agentEntry = answerEntry(call);
          // One turn, unless a word of the answer was heard.
          expect(roles.slice(0, 3)).toEqual(agentEntry === undefined ? ['user', 'agent'] : ['user', 'agent', 'user']);
          if (agentEntry !== undefined) expect(agentEntry.startUs).toBe(ANSWER_START_MS * 1000);
        }),
        { numRuns: propertyRuns(60) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
