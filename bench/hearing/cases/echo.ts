import { always } from '../call/answers.ts';
import type { HeardCall, HearingCase, Judgement } from '../call/heard-case.ts';
import { say } from '../call/spoken-line.ts';

const ANSWER =
  'We open at nine in the morning and close at six in the evening, from Monday to Friday. On Saturdays we are here until noon, and on Sundays we are closed.';
const DELAYS_MS = [40, 130, 300, 600, 900];
const GAINS_DB = [-14, -20, -30];
const PAUSES_MAX = 1;
const LENGTH_RATIO_MAX = 1.1;

/** A speakerphone that returns what the agent says. */
export function echoCases(): readonly HearingCase[] {
  return (['pcmu', 'pcma'] as const).flatMap((codec) =>
    DELAYS_MS.flatMap((delayMs) =>
      GAINS_DB.map((gainDb) => ({
        group: 'echo',
        name: `${codec}, ${delayMs} ms, ${gainDb} dB`,
        codec,
        echo: { delayMs, gainDb },
        providers: {
          transcriber: { finalMs: 250, interimMs: 250 },
          voice: 'speech' as const,
          language: 'en',
          answer: always(ANSWER),
        },
        steps: [{ when: { type: 'agent_quiet' as const, ms: 1_500 }, line: say('When do you open?') }],
        agentAnswers: 0,
        judge: judgeLength,
      })),
    ),
  );
}

/** Judges the pauses of half a second and more in the answer, and the length of the answer compared with its audio. */
function judgeLength({ recording, agentSpans, voiced }: HeardCall): Judgement {
  const [line] = recording.lines;
  const spans = agentSpans.filter(({ fromMs }) => line !== undefined && fromMs > line.toMs - 100);
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return { figure: '', faults: ['no answer was heard'] };
  const texts = new Map(
    voiced.filter(({ text }) => ANSWER.includes(text.trim())).map(({ text, lengthMs }) => [text, lengthMs]),
  );
  const audioMs = [...texts.values()].reduce((sum, lengthMs) => sum + lengthMs, 0);
  const ratio = (last.toMs - first.fromMs) / audioMs;
  const pauses = spans.length - 1;
  const faults = [
    ...(pauses > PAUSES_MAX ? [`${pauses} pauses`] : []),
    ...(ratio > LENGTH_RATIO_MAX ? [`${ratio.toFixed(2)} × as long as without echo`] : []),
  ];
  return { figure: `${pauses} pauses, length × ${ratio.toFixed(2)}`, faults };
}
