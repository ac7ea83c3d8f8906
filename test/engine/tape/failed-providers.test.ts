import { expect, it } from 'vitest';
import { createTapeLanguageModel } from '../../../adapters/tape-replay/language-model.ts';
import { silentSpeech } from '../../../adapters/tape-replay/tape-speech.ts';
import { createTapeTranscriber } from '../../../adapters/tape-replay/transcriber.ts';
import { createTapeVoice } from '../../../adapters/tape-replay/voice.ts';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { CallControlEvent } from '../../../engine/ports/call-control.ts';
import { startCall } from '../../../engine/session/start-call.ts';
import { readRecordedResponses } from '../../../engine/tape/re-simulation/read-recorded-responses.ts';
import { TAPE_VERSION } from '../../../engine/tape/tape-format.ts';
import { Simulation } from '../simulation/simulation.ts';
import { UnframedMedia } from '../simulation/unframed-media.ts';

const CALL_SECONDS = 14;
const ANSWER = 'We have a table by the window at half past seven. Shall I put it under your name?';

/** The user's side of both calls: a packet every 20 ms, and speech from 1 s to 2 s. */
function scheduleUser(clock: SimulatedClock, media: UnframedMedia): void {
  for (let packet = 1; packet <= CALL_SECONDS * 50; packet++) clock.at(packet * 20, () => media.receive(20));
  clock.at(1_000, () => media.emit({ type: 'speech_started', audioMs: 1_000 }));
  clock.at(2_000, () => media.emit({ type: 'speech_stopped', audioMs: 2_000 }));
}

/** A call in which each provider fails once. */
function failingCall(): Simulation {
  const error = { provider: 'test', code: 'closed', message: '', retryable: true } as const;
  const call = new Simulation({
    agent: { fallbacks: { llm: [{ model: 'second' }] } },
    model: [{ failsWith: { retryable: false } }, { text: ANSWER }],
    voice: { failsAt: [{ textIndex: 0, afterMs: 1_000 }] },
  });
  scheduleUser(call.clock, call.media);
  return call
    .at(1.5, () => call.emitTranscriberEvent({ type: 'failed', error }))
    .at(2.4, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'A table, please.',
        words: [],
        startMs: 1_000,
        endMs: 2_000,
      }),
    )
    .runUntil(CALL_SECONDS);
}

it('a call whose providers failed runs from its tape with the same words and times', () => {
  const recorded = failingCall();
  expect(recorded.dialogue).toEqual(['user: A table, please.', `agent: ${ANSWER}`]);
  const { compiled, parameters } = recorded;
  const answers = readRecordedResponses({
    header: { tape: TAPE_VERSION, parameters, format: recorded.media.format },
    entries: recorded.tape,
  });
  const clock = new SimulatedClock(parameters.startedWallMs);
  const media = new UnframedMedia(clock);
  const setTimer = clock.after.bind(clock);
  const differences: unknown[] = [];
  const onDifference = (difference: unknown) => differences.push(difference);
  let emitControl: (event: CallControlEvent) => void = () => {};
  const call = startCall({
    compiled,
    parameters,
    firstEvent: { type: 'call.offered' },
    ports: {
      transcriber: createTapeTranscriber(answers.transcriber, parameters.transcriberTraits, setTimer),
      model: createTapeLanguageModel(answers, setTimer, onDifference),
      voice: createTapeVoice(answers.voices, silentSpeech(answers.format), setTimer, onDifference),
      media,
      control: {
        answer: () => clock.after(0, () => emitControl({ type: 'answered' })),
        hangUp: () => {},
        transfer: () => {},
        onEvent: (listener) => {
          emitControl = listener;
        },
      },
      tools: { run: () => {} },
      knowledge: { search: () => {} },
      journal: { write: () => {} },
      clock,
      log: () => {},
    },
  });
  scheduleUser(clock, media);
  clock.runUntil(CALL_SECONDS * 1_000);
  expect(differences).toEqual([]);
  expect(call.view().transcript.map(({ role, content }) => `${role}: ${content}`)).toEqual(recorded.dialogue);
  // The voice of the tape sends smaller pieces, so only the start and the end of each segment are compared.
  const segmentTimes = (of: UnframedMedia) =>
    [1, 2, 3, 4].map((number) => {
      const pieces = of.sentAudio.filter(({ segment }) => segment === number);
      return [pieces[0]?.fromMs, Math.round(pieces.at(-1)?.toMs ?? -1)];
    });
  expect(segmentTimes(media)).toEqual(segmentTimes(recorded.media));
});
