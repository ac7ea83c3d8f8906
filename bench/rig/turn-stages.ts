import type { CallerTurn, ProviderTurn } from './process-messages.ts';

/** What our side took of one turn, in ms. Nothing is subtracted: each is the time between two moments of the same clock. */
export interface TurnStages {
  readonly call: number;
  readonly turn: number;
  /** Caller's last sample sent → whole at the transcriber's socket. */
  readonly toTranscriber: number;
  /** Final sent → model request whole at the model's socket. */
  readonly toModel: number;
  /** First sentence certain → order to speak it at the voice's socket. */
  readonly toVoice: number;
  /** Its first audio sent → the packet with it at the caller's socket. */
  readonly toWire: number;
  /** All four. */
  readonly ours: number;
}

/** `missing`: turns of which some moment was not seen. */
export function stagesOf(
  callerTurns: readonly CallerTurn[],
  providerTurns: readonly ProviderTurn[],
): { readonly stages: readonly TurnStages[]; readonly missing: number } {
  const seen = new Map(providerTurns.map((turn) => [`${turn.call}/${turn.turn}`, turn]));
  const all = callerTurns.flatMap((caller) => {
    const provider = seen.get(`${caller.call}/${caller.turn}`);
    return provider === undefined ? [] : [stages(caller, provider)];
  });
  const whole = all.filter(({ ours }) => Number.isFinite(ours));
  return { stages: whole, missing: callerTurns.length - whole.length };
}

function stages(caller: CallerTurn, provider: ProviderTurn): TurnStages {
  const toTranscriber = provider.speechReceivedMs - caller.speechSentMs;
  const toModel = provider.modelRequestMs - provider.finalMs;
  const toVoice = provider.voiceRequestMs - provider.sentenceMs;
  const toWire = caller.responseMs - provider.audioMs;
  const { call, turn } = caller;
  return { call, turn, toTranscriber, toModel, toVoice, toWire, ours: toTranscriber + toModel + toVoice + toWire };
}
