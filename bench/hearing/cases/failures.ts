import type { ChatBody } from '../../../test/providers/openai/chat-emulator.ts';
import { type ChatAnswer, errorAnswer } from '../../../test/providers/openai/chat-script.ts';
import { countWords } from '../call/answers.ts';
import type { HeardCall, HearingCase, Judgement } from '../call/heard-case.ts';
import { say } from '../call/spoken-line.ts';

const FAILS_MS = 3_000;
const SILENCE_MS_MAX = 4_000;
const FIRST = 'I would like to know whether my parcel has been sent.';
const SECOND = 'Thank you, that is all.';

/** Providers that fail for some seconds: the call goes on. */
export function failureCases(): readonly HearingCase[] {
  const transcriber = { finalMs: 250, interimMs: 250 };
  const shared = {
    group: 'failures',
    steps: [FIRST, SECOND].map((text) => ({ when: { type: 'agent_quiet' as const, ms: 2_500 }, line: say(text) })),
    agentAnswers: 0,
    hangUpAfterMs: 5_000,
    judge: judgeSilence,
  };
  const providers = { transcriber, voice: 'tone' as const, language: 'en', answer: countWords };
  return [
    { ...shared, name: 'model: 500 for 3 s', providers: { ...providers, answer: failingModel() } },
    { ...shared, name: 'voice: closed for 3 s', providers: { ...providers, voiceFails: { text: 1, forMs: FAILS_MS } } },
    ...[0, FAILS_MS].map((lostMs) => ({
      ...shared,
      name: `transcriber: lost in mid-word, for ${lostMs / 1000} s`,
      providers: { ...providers, transcriber: { ...transcriber, lostInWord: 4, lostMs } },
    })),
    {
      ...shared,
      name: 'transcriber: lost in mid-word, without interims',
      providers: { ...providers, transcriber: { ...transcriber, interimMs: null, lostInWord: 6, lostMs: 0 } },
    },
  ];
}

/** 500 to every request within the first 3 s of the first one. */
function failingModel(): (body: ChatBody) => ChatAnswer {
  let firstAtMs: number | null = null;
  return (body) => {
    const nowMs = performance.now();
    firstAtMs ??= nowMs;
    return nowMs < firstAtMs + FAILS_MS ? errorAnswer(500) : countWords(body);
  };
}

/** The longest silence between the end of a line and the next sound of the agent, and whether the last line was answered. */
function judgeSilence({ recording, agentSpans, endReason }: HeardCall): Judgement {
  const waits = recording.lines.map(({ toMs }) => {
    const next = agentSpans.find(({ fromMs }) => fromMs > toMs);
    return next === undefined ? Number.POSITIVE_INFINITY : next.fromMs - toMs;
  });
  const faults = waits.flatMap((ms) => (ms > SILENCE_MS_MAX ? [`silence of ${ms} ms, at most ${SILENCE_MS_MAX}`] : []));
  if (recording.lines.length < 2) faults.push(`the call ended early (${endReason})`);
  return { figure: `waits ${waits.join(', ')} ms`, faults };
}
