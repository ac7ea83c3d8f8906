import type { SpeakerphoneOptions } from '../../../fixtures/sound/speakerphone.ts';
import type { CallProviders, VoicedText } from './emulated-providers.ts';
import type { UserStep } from './phone.ts';
import type { RecordedCall, Span } from './recorded-call.ts';

/** One call: what the user says, how the providers behave, and what must be heard. */
export interface HearingCase {
  readonly group: string;
  readonly name: string;
  readonly steps: readonly UserStep[];
  readonly providers: CallProviders;
  /** Fields of the agent. `functionUrl` answers after the time in its path. */
  readonly agent?: (functionUrl: string) => object;
  readonly echo?: SpeakerphoneOptions;
  readonly lossShare?: number;
  readonly codec?: 'pcmu' | 'pcma';
  readonly greeting?: string;
  /** Default 2 s. */
  readonly hangUpAfterMs?: number;
  /** The expected entries of the user; default: the text of each line with words. */
  readonly userEntries?: readonly string[];
  /** How often the agent begins to speak, greeting included; default: once a user entry, and the greeting. */
  readonly agentAnswers?: number;
  /** More that is wrong with this call; each with its figure. */
  readonly judge?: (heard: HeardCall) => Judgement;
}

export interface HeardCall {
  readonly recording: RecordedCall;
  /** The agent's speech; silences under half a second belong to it. */
  readonly agentSpans: readonly Span[];
  readonly transcript: readonly { readonly role: string; readonly content: string; readonly atMs: number }[];
  readonly voiced: readonly VoicedText[];
  readonly endReason: string | null;
  readonly metrics: unknown;
}

export interface Judgement {
  /** The measurement, for the table. */
  readonly figure: string;
  readonly faults: readonly string[];
}

/** Silence that parts two stretches of the agent's speech. */
export const AGENT_PAUSE_MS = 500;

/** The agent begins to speak within a line of the user: not before it, and before its last sound. */
export function cutIns({ recording, agentSpans }: HeardCall): number {
  return agentSpans.filter(({ fromMs }) =>
    recording.lines.some(({ fromMs: from, line }) => {
      const first = line.words[0];
      const last = line.words.at(-1);
      if (line.isOfAnother === true) return false;
      return first !== undefined && last !== undefined && fromMs > from + first.startMs && fromMs < from + last.endMs;
    }),
  ).length;
}

/** From the last sound of each line with words to the agent's next speech, in ms. */
export function responseDelays({ recording, agentSpans }: HeardCall): readonly number[] {
  return recording.lines.flatMap(({ fromMs, line }) => {
    const last = line.words.at(-1);
    if (last === undefined || line.isOfAnother === true) return [];
    const endMs = fromMs + last.endMs;
    const answer = agentSpans.find((span) => span.fromMs >= endMs);
    return answer === undefined ? [] : [answer.fromMs - endMs];
  });
}
