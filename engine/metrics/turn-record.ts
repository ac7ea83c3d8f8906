import type { TurnDraft, UserDraft } from '../core/state/turn-draft.ts';
import type { TurnRecord, UserTurnRecord } from '../ports/turn-record.ts';

/** The record of a turn as it is written. Pure. */
export function turnRecord(draft: TurnDraft): TurnRecord {
  const startUs = draft.user?.speechEndedUs ?? draft.startedUs;
  const sinceStart = (us: number) => roundMs((us - startUs) / 1000);
  const stage = (us: number | null) => (us === null ? null : sinceStart(us));
  return {
    turn: draft.number,
    startUs,
    user: draft.user === null ? null : userRecord(draft.user, sinceStart),
    utterance: draft.utterance,
    askedMs: draft.askedUs.map(sinceStart),
    firstTokenMs: stage(draft.firstTokenUs),
    voiceRequestedMs: stage(draft.voiceRequestedUs),
    firstAudioMs: stage(draft.firstAudioUs),
    heardMs: stage(draft.heardUs),
    answerHeardMs: stage(draft.answerHeardUs),
    fillersMs: draft.fillersUs.map(sinceStart),
    tools: draft.tools.map(({ toolCallId, name, startedUs, endedUs }) => ({
      toolCallId,
      name,
      startedMs: sinceStart(startedUs),
      endedMs: stage(endedUs),
    })),
    interrupted: draft.interrupted,
    falseInterruptions: draft.falseInterruptions,
    ducked: draft.ducked,
    echoWords: draft.echoWords,
  };
}

function userRecord(user: UserDraft, sinceStart: (us: number) => number): UserTurnRecord {
  const { sequence, end, speechEndedUs, endedUs, committedUs, reopened, amended, corrected } = user;
  const startUs = speechEndedUs ?? 0;
  return {
    sequence,
    endedBy: end?.by ?? 'other',
    score: end?.score ?? null,
    reasons: end?.reasons ?? [],
    endedMs: sinceStart(endedUs ?? startUs),
    committedMs: sinceStart(committedUs ?? endedUs ?? startUs),
    reopened,
    amended,
    corrected,
  };
}

/** To a tenth of a ms, which is finer than a packet. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
