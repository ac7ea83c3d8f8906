import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

export const RETRYABLE = { provider: 'test', code: 'closed', message: 'none', retryable: true } as const;

/** The wait for words after long speech without any, before the latency of finals is learnt. */
export const FIRST_WORDS_WAIT_MS = 2_300;
/** The same wait where interims are known to come during the speech. */
export const WORDS_WAIT_MS = 700;

/** A call with packets of 20 ms from the start, so that audio time equals call time. */
export function callWithAudio(scenario: Scenario, seconds = 12): Simulation {
  const call = new Simulation(scenario);
  for (let packet = 1; packet <= seconds * 50; packet++) call.at(packet / 50, () => call.media.receive(20));
  return call;
}

/** Plans the activity of the user's speech, without words. */
export function addSpeech(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

export const failAt = (call: Simulation, at: number, error: ProviderError = RETRYABLE) =>
  call.at(at, () => call.emitTranscriberEvent({ type: 'failed', error }));

/** Each stream that was opened: when, of which provider, from which place of the audio. */
export const openedStreams = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((command) =>
      command.type === 'transcriber.open'
        ? [{ atMs: atUs / 1000, provider: command.options.provider, fromMs: command.fromMs }]
        : [],
    ),
  );
