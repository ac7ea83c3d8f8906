import { TOOL, toolThenResult } from '../call/answers.ts';
import { type HeardCall, type HearingCase, type Judgement, responseDelays } from '../call/heard-case.ts';
import { say } from '../call/spoken-line.ts';

const FIRST_SILENCE_MS_MAX = 3_500;
const LATER_SILENCE_MS_MAX = 10_000;
const ANSWER_MS_MAX = 2_000;
const RESULT = 'The result is here, and your order is on its way.';

/** Tools that take long: what is heard while they run, and a question then. */
export function toolCases(): readonly HearingCase[] {
  const shared = {
    group: 'tools',
    providers: { transcriber: { finalMs: 250, interimMs: 250 }, voice: 'tone', language: 'en', answer: toolThenResult },
    hangUpAfterMs: 13_000,
    agentAnswers: 0,
  } as const;
  const ask = { when: { type: 'agent_quiet', ms: 700 }, line: say('Where is my order?') } as const;
  return [
    ...[5_000, 12_000, 25_000].map((afterMs) => ({
      ...shared,
      name: `a tool of ${afterMs / 1000} s`,
      agent: (url: string) => toolAgent(`${url}/after/${afterMs}`),
      steps: [ask],
      hangUpAfterMs: afterMs > 12_000 ? 11_000 : 9_500,
      judge: (heard: HeardCall) => judgeSilences(heard),
    })),
    {
      ...shared,
      name: 'a question during a tool of 12 s',
      agent: (url) => toolAgent(`${url}/after/12000`),
      steps: [ask, { when: { type: 'after', ms: 5_500 }, line: say('Where is the shop?') }],
      judge: (heard) => {
        const { figure, faults } = judgeSilences(heard);
        const delayMs = responseDelays(heard)[1] ?? Number.POSITIVE_INFINITY;
        const late = delayMs > ANSWER_MS_MAX ? [`the question was answered after ${delayMs} ms`] : [];
        return { figure: `question ${delayMs} ms, ${figure}`, faults: [...faults, ...late] };
      },
    },
  ];
}

function toolAgent(url: string): object {
  return {
    states: [
      {
        name: 'talk',
        prompt: 'Talk.',
        tools: [{ type: 'custom_function', name: TOOL, description: 'Looks the order up.', url, timeout: 30 }],
      },
    ],
  };
}

/** Silences from the end of the user's first line to the result. */
function judgeSilences({ recording, agentSpans, transcript }: HeardCall): Judgement {
  const [first] = recording.lines;
  const last = agentSpans.at(-1);
  if (first === undefined || last === undefined) return { figure: 'nothing heard', faults: ['nothing heard'] };
  const spans = agentSpans.filter(({ fromMs }) => fromMs > first.toMs);
  const silences = spans.map(({ fromMs }, i) => fromMs - (spans[i - 1]?.toMs ?? first.toMs));
  const faults = silences.flatMap((ms, i) => {
    const maximum = i === 0 ? FIRST_SILENCE_MS_MAX : LATER_SILENCE_MS_MAX;
    return ms > maximum ? [`silence ${i + 1} lasted ${ms} ms, at most ${maximum}`] : [];
  });
  const reports = transcript.filter(({ role, content }) => role === 'agent' && content.includes(RESULT)).length;
  if (reports !== 1) faults.push(`the result was heard ${reports} times`);
  return { figure: `silences ${silences.join(', ')} ms`, faults };
}
