import { always } from '../call/answers.ts';
import type { HeardCall, HearingCase, Judgement } from '../call/heard-case.ts';
import { longestSilence } from '../call/recorded-call.ts';
import { say } from '../call/spoken-line.ts';

const LONG_ANSWER =
  'There are three ways to reach us, and I am going to tell you about each of them in turn so that you can choose the one that suits you best.';
const QUESTION = 'How can I reach you?';
const INTERRUPTION = 'Wait, stop, I have got another question about my bill.';
/** From the first sound of the user to the agent's silence, with words as fast as they are usual. */
const OVERLAP_MS_MAX = 1_200;
/** A transcriber without interims reports the words after the user's last one. */
const LATE_OVERLAP_MS_MAX = 2_000;
const BACKCHANNEL_SILENCE_MS_MAX = 100;
const SPEAKING_MS = 2_000;

/** Users who speak over the agent: with something to say, or only to show that they listen. */
export function interruptionCases(): readonly HearingCase[] {
  const ask = { when: { type: 'agent_quiet', ms: 700 }, line: say(QUESTION) } as const;
  const shared = { group: 'interruptions', agentAnswers: 0 } as const;
  const providers = { voice: 'tone', language: 'en', answer: always(LONG_ANSWER) } as const;
  const over = (text: string) => [ask, { when: { type: 'agent_speaking', ms: SPEAKING_MS }, line: say(text) }] as const;
  return [
    ...[250, 800, 2_000].flatMap((finalMs) =>
      [250, null].map((interimMs) => ({
        ...shared,
        name: `finals ${finalMs} ms, ${interimMs === null ? 'no interims' : 'interims'}`,
        providers: { ...providers, transcriber: { finalMs, interimMs } },
        steps: over(INTERRUPTION),
        // A final 2 s late, and its answer.
        hangUpAfterMs: 3_500,
        judge: (heard: HeardCall) => judgeOverlap(heard, interimMs === null ? LATE_OVERLAP_MS_MAX : OVERLAP_MS_MAX),
      })),
    ),
    ...['Uh-huh.', 'Okay.', 'Yes.', 'I see.'].map((text) => ({
      ...shared,
      name: `«${text}»`,
      providers: { ...providers, transcriber: { finalMs: 250, interimMs: 250 } },
      steps: over(text),
      judge: judgeBackchannel,
    })),
  ];
}

/** How long both spoke, and whether the user was answered. */
function judgeOverlap({ recording, agentSpans }: HeardCall, overlapMsMax: number): Judgement {
  const line = recording.lines[1];
  if (line === undefined) return { figure: '', faults: ['the user did not interrupt'] };
  const cut = agentSpans.find(({ fromMs, toMs }) => fromMs < line.fromMs && toMs > line.fromMs);
  const overlapMs = (cut?.toMs ?? 0) - line.fromMs;
  const answered = agentSpans.some(({ fromMs }) => fromMs > line.toMs);
  const faults = [
    ...(overlapMs > overlapMsMax ? [`both spoke for ${overlapMs} ms, at most ${overlapMsMax}`] : []),
    ...(answered ? [] : ['the interruption was not answered']),
  ];
  return { figure: `overlap ${Math.round(overlapMs)} ms`, faults };
}

/** The agent speaks on, and answers nothing. */
function judgeBackchannel({ recording, agentSpans, transcript }: HeardCall): Judgement {
  const line = recording.lines[1];
  const during = agentSpans.find(({ fromMs, toMs }) => fromMs < (line?.fromMs ?? 0) && toMs > (line?.fromMs ?? 0));
  if (line === undefined || during === undefined) return { figure: '', faults: ['the agent did not speak'] };
  const silenceMs = longestSilence(recording.agent, during);
  const answers = transcript.filter(({ role }) => role === 'agent').length;
  const faults = [
    ...(silenceMs > BACKCHANNEL_SILENCE_MS_MAX ? [`silence of ${silenceMs} ms in our voice`] : []),
    ...(answers === 2 ? [] : [`${answers} entries of the agent`]),
  ];
  return { figure: `silence ${silenceMs} ms`, faults };
}
