import { always } from '../call/answers.ts';
import type { HearingCase } from '../call/heard-case.ts';
import { say } from '../call/spoken-line.ts';

const ANSWERS = [
  'Yes, please.',
  'No, thank you.',
  'On Friday.',
  'That is fine.',
  'For two people.',
  'Yes, that is right.',
  'At eight in the evening.',
  'No, that is all.',
];
const CALLS = 3;

/** Short complete answers: how fast the agent answers them. */
export function shortAnswerCases(): readonly HearingCase[] {
  return Array.from({ length: CALLS }, (_, i) => ({
    group: 'short answers',
    name: `call ${i + 1}`,
    providers: {
      transcriber: { finalMs: 250, interimMs: 250 },
      voice: 'tone' as const,
      language: 'en',
      answer: always('Very well, and what else?'),
    },
    steps: ANSWERS.map((text) => ({ when: { type: 'agent_quiet' as const, ms: 700 }, line: say(text) })),
    greeting: 'Would you like to book a table?',
  }));
}
