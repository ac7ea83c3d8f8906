import type { TurnRecord } from '../ports/turn-record.ts';
import { roundMs } from './turn-record.ts';

/** Durations of one answered turn, in ms of the audio clock, never negative; null if the turn has no such part. */
export interface TurnTimes {
  /** End of the user's speech → the end of the turn was certain. */
  readonly endpointingMs: number | null;
  /** End of the turn → first token; 0 if the eager generation had one already. */
  readonly llmFirstTokenMs: number | null;
  readonly voiceFirstAudioMs: number | null;
  /** Time spent in the engine: end of the turn → model request, plus first audio of the voice → wire. */
  readonly engineMs: number | null;
  /** End of the user's speech → first agent audio on the wire. */
  readonly responseMs: number | null;
  /** End of the user's speech → the request that was answered; 0 if it was made earlier. */
  readonly askedMs: number | null;
  /** End of the user's speech → the turn was committed. */
  readonly committedMs: number | null;
  /** End of the user's speech → the answer itself on the wire, without its fillers. */
  readonly answerMs: number | null;
}

const NO_TIMES: TurnTimes = {
  endpointingMs: null,
  llmFirstTokenMs: null,
  voiceFirstAudioMs: null,
  engineMs: null,
  responseMs: null,
  askedMs: null,
  committedMs: null,
  answerMs: null,
};

/** The durations between the stages of a record. A turn whose answer was not heard has none. */
export function turnTimes(record: TurnRecord): TurnTimes {
  const { user, heardMs, answerHeardMs, firstTokenMs, firstAudioMs, voiceRequestedMs } = record;
  if (answerHeardMs === null) return NO_TIMES;
  const requestedMs = answeringRequestMs(record);
  return {
    endpointingMs: user === null ? null : between(0, user.endedMs),
    llmFirstTokenMs:
      requestedMs === null || firstTokenMs === null
        ? null
        : between(Math.max(requestedMs, user?.endedMs ?? requestedMs), firstTokenMs),
    voiceFirstAudioMs:
      voiceRequestedMs === null || firstAudioMs === null ? null : between(voiceRequestedMs, firstAudioMs),
    engineMs: engineMs(record, answerHeardMs),
    responseMs: user === null || heardMs === null ? null : between(0, heardMs),
    askedMs: user === null || requestedMs === null ? null : between(0, requestedMs),
    committedMs: user === null ? null : between(0, user.committedMs),
    answerMs: user === null ? null : between(0, answerHeardMs),
  };
}

/** Null if it would include the wait for a model: after a model timeout or a filler. */
function engineMs(record: TurnRecord, answerHeardMs: number): number | null {
  const { user, askedMs, fillersMs, firstTokenMs, firstAudioMs, voiceRequestedMs } = record;
  if (user === null || voiceRequestedMs === null || fillersMs.some((ms) => ms < answerHeardMs)) return null;
  if (firstTokenMs === null && askedMs.length > 0) return null;
  const requestedMs = answeringRequestMs(record) ?? voiceRequestedMs;
  // A clause that the voice had ahead waits for the end of the turn.
  const audioMs = Math.max(firstAudioMs ?? voiceRequestedMs, user.endedMs);
  return roundMs(between(user.endedMs, requestedMs) + between(audioMs, answerHeardMs));
}

/** The request whose first token is recorded. */
function answeringRequestMs({ askedMs, firstTokenMs }: TurnRecord): number | null {
  if (firstTokenMs === null) return null;
  return askedMs.findLast((ms) => ms <= firstTokenMs) ?? null;
}

/** Duration between two moments, never negative: an eager request is made before the turn has ended. */
function between(fromMs: number, toMs: number): number {
  return roundMs(Math.max(0, toMs - fromMs));
}
