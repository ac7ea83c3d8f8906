import { countWords } from '../call/answers.ts';
import type { HearingCase } from '../call/heard-case.ts';
import { say } from '../call/spoken-line.ts';

/** Their last words change nothing: a final that adds them needs no second answer. */
const LINES = [
  'I would like to book a table for two people on Friday, please.',
  'Could you tell me when you open on Saturday, please?',
  'My name is Peter Miller, thanks.',
];
const FINALS_MS = [400, 800, 1_200, 2_000];

/** Finals that come late: before the answer begins, or while it is heard. */
export function lateWordCases(): readonly HearingCase[] {
  return FINALS_MS.flatMap((finalMs) =>
    [
      { name: 'interims', interimMs: 250 },
      { name: 'interims without the last word', interimMs: 250, wordsWithoutInterim: 1 },
      { name: 'no interims', interimMs: null },
      { name: 'interims, no word times', interimMs: 250, hasWordTimes: false },
    ].map(({ name, ...behaviour }) => ({
      group: 'late words',
      name: `finals ${finalMs} ms, ${name}`,
      providers: {
        transcriber: { finalMs, ...behaviour },
        voice: 'tone' as const,
        language: 'en',
        answer: countWords,
      },
      steps: LINES.map((text) => ({ when: { type: 'agent_quiet' as const, ms: 700 }, line: say(text) })),
      hangUpAfterMs: 3_500,
    })),
  );
}
