import type { CallerTurn, ProviderTurn } from './process-messages.ts';

/** The times of one turn that Trunkline adds, ms. Nothing is subtracted: each lies between two times of one clock. */
export interface TurnStages {
  readonly call: number;
  readonly turn: number;
  /** Caller's last sample sent → received at the transcriber. */
  readonly toTranscriber: number;
  /** Final sent → request received at the model. */
  readonly toModel: number;
  /** First sentence complete → request to speak it received at the voice. */
  readonly toVoice: number;
  /** First audio sent → packet received at the caller. */
  readonly toWire: number;
  /** Sum of the four. */
  readonly ours: number;
}

/** `missing`: turns with a time that was not measured. */
export function stagesOf(
  callerTurns: readonly CallerTurn[],
  providerTurns: readonly ProviderTurn[],
): { readonly stages: readonly TurnStages[]; readonly missing: number } {
  const seen = new Map(providerTurns.map((turn) => [`${turn.call}/${turn.turn}`, turn]));
  const all = callerTurns.flatMap((caller) => {
    const provider = seen.get(`${caller.call}/${caller.turn}`);
    return provider === undefined ? [] : [stages(caller, provider)];
  });
  const complete = all.filter(({ ours }) => Number.isFinite(ours));
  return { stages: complete, missing: callerTurns.length - complete.length };
}

function stages(caller: CallerTurn, provider: ProviderTurn): TurnStages {
  const toTranscriber = provider.speechReceivedMs - caller.speechSentMs;
  const toModel = provider.modelRequestMs - provider.finalMs;
  const toVoice = provider.voiceRequestMs - provider.sentenceMs;
  const toWire = caller.responseMs - provider.audioMs;
  const { call, turn } = caller;
  return { call, turn, toTranscriber, toModel, toVoice, toWire, ours: toTranscriber + toModel + toVoice + toWire };
}
