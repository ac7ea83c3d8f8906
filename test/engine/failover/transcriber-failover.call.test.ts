import { describe, expect, it } from 'vitest';
import { MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';
import { addSpeech, callWithAudio, FIRST_WORDS_WAIT_MS, failAt, openedStreams, RETRYABLE } from './call-with-audio.ts';

const FATAL = { ...RETRYABLE, code: 'unauthorized', retryable: false } as const;

/** The audio that a stream is given before the user's speech. */
const LEAD_MS = 1_500;
/** The second retry waits 250 ms ± 20 %; this is the wait of the simulated call. */
const BACKOFF_MS = 229;
const READY_MS = 50;
const NEVER_READY = { neverReady: true };
/** The wait for a final: the provider’s 99th percentile with some slack. */
const FINAL_TIMEOUT_MS = 500;

describe('transcriber failure during user speech', () => {
  it('reopens the stream at once from the last final, and the transcript has every word once', () => {
    const call = addSpeech(addSpeech(callWithAudio({ agent: {} }), 1, 2), 2.3, 4)
      .at(2.2, (simulation) => simulation.emitFinal(1, 2, 'I would like'))
      .interimAt(2.9, 2.3, 'a table');
    failAt(call, 3);
    // The new stream counts from 2.0 s of the audio. The engine shifts its times to those of the call.
    call.at(3.4, () => call.emitTranscriberEvent({ type: 'interim', text: 'a table for', startMs: 300, endMs: 1_400 }));
    call.at(4.2, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'a table for four.',
        words: [],
        startMs: 300,
        endMs: 2_000,
      }),
    );
    call.runUntil(8);
    expect(openedStreams(call)).toEqual([
      { atMs: 0, provider: 'test', fromMs: 0 },
      { atMs: 3_000, provider: 'test', fromMs: 2_000 },
    ]);
    expect(call.dialogue).toEqual(['user: I would like a table for four.', 'agent: Yes.']);
    expect(call.transcript[0]).toMatchObject({ startUs: 1_000_000, endUs: 4_000_000 });
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs: 4_000 + RESPONSE_MS, toMs: 4_000 + RESPONSE_MS + 200 }]);
    // The audio since 2.0 s at once, then each packet.
    expect(call.transcriberStreams[1]?.bytes).toBe((8_000 - 2_000) * 8);
  });

  it('delays the response until the new stream has sent the final', () => {
    const call = addSpeech(
      callWithAudio({ agent: {}, transcriberStreams: [{ neverReady: true }, { failsWith: { retryable: true } }] }),
      1,
      2,
    ).interimAt(1.8, 1, 'I want');
    failAt(call, 2.1);
    call.at(3.1, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'I want a table.',
        words: [],
        startMs: 1_000,
        endMs: 2_000,
      }),
    );
    call.runUntil(8);
    expect(openedStreams(call).map(({ atMs }) => atMs)).toEqual([0, 2_100, 2_100 + READY_MS + BACKOFF_MS]);
    expect(call.commandTimesMs('model.request')).toEqual([3_100]);
    expect(call.dialogue[0]).toBe('user: I want a table.');
  });

  it('commits the earlier interim when the new stream sends no words in time', () => {
    const call = addSpeech(callWithAudio({ agent: {} }), 1, 2).interimAt(1.8, 1, 'I want a table');
    failAt(call, 1.9).runUntil(8);
    expect(call.commandTimesMs('model.request')).toEqual([3_950]);
    expect(call.dialogue[0]).toBe('user: I want a table');
  });

  it('delays the response no longer once the new stream has repeated the words before the failure', () => {
    const call = addSpeech(callWithAudio({ agent: {} }), 1, 2.4)
      .interimAt(1.8, 1, 'I take')
      .interimAt(2.3, 1, 'I take tea');
    failAt(call, 1.5).runUntil(8);
    expect(call.dialogue[0]).toBe('user: I take tea');
    expect(call.heard[0]?.fromMs).toBe(2_400 + FINAL_TIMEOUT_MS + MODEL_MS + VOICE_MS);
  });

  it('does not delay a turn whose words are final', () => {
    const call = addSpeech(callWithAudio({ agent: {} }), 1, 2).at(2.1, (simulation) =>
      simulation.emitFinal(1, 2, 'I take tea'),
    );
    failAt(call, 2.2).runUntil(8);
    // An eager generation begins at the final; the response is heard at the end of the turn.
    expect(call.commandTimesMs('model.request')).toEqual([2_100]);
    expect(call.heard[0]?.fromMs).toBe(2_500);
  });

  it('sends speech without words again to a fallback, also when it was long ago', () => {
    const fallbacks = { transcriber: [{ provider: 'second' }] };
    const call = addSpeech(callWithAudio({ agent: { fallbacks } }, 16), 2, 3);
    failAt(call, 12, { ...RETRYABLE, code: 'timeout' });
    // The new stream counts from 0.5 s: the speech begins at 2 s, with a lead of 1.5 s.
    call.at(12.5, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'A table please.',
        words: [],
        startMs: 1_500,
        endMs: 2_500,
      }),
    );
    call.runUntil(16);
    expect(openedStreams(call)[1]).toEqual({ atMs: 12_000, provider: 'second', fromMs: 500 });
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
  });

  it('sends only the last 1.5 s again if the speech has a final, or if noise without words was long ago', () => {
    const withFinal = addSpeech(addSpeech(callWithAudio({ agent: {} }, 16), 2, 3), 5, 6).at(6.2, (simulation) =>
      simulation.emitFinal(5, 6, 'Yes.'),
    );
    failAt(withFinal, 12).runUntil(16);
    expect(openedStreams(withFinal)[1]?.fromMs).toBe(12_000 - LEAD_MS);
    const afterNoise = (failureSeconds: number) =>
      openedStreams(failAt(addSpeech(callWithAudio({ agent: {} }, 20), 2, 3), failureSeconds).runUntil(20))[1]?.fromMs;
    expect(afterNoise(17)).toBe(500);
    expect(afterNoise(17.02)).toBe(17_020 - LEAD_MS);
  });

  it('adds every word of the new stream to a turn that follows a committed interim', () => {
    const call = addSpeech(addSpeech(callWithAudio({ agent: {} }), 1, 2), 3.3, 4.2);
    call.interimAt(2, 1, 'I want a table');
    failAt(call, 3.5)
      .at(4, () => call.emitFinal(1, 2, 'I want a table'))
      .interimAt(4.2, 3.3, 'for four people');
    call.runUntil(10);
    // The committed words have no final: the stream may have reported only a part of them.
    expect(openedStreams(call)[1]?.fromMs).toBe(0);
    expect(call.dialogue.filter((text) => text.startsWith('user'))).toEqual([
      'user: I want a table',
      'user: for four people',
    ]);
  });

  it('does not prolong a noise that begins after the new stream is ready', () => {
    const call = addSpeech(failAt(callWithAudio({ agent: {} }), 5), 5.2, 5.4).runUntil(6);
    expect(call.handle.view().agentState).toBe('userSpeaking');
    call.runUntil(6.2);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('sends the last 1.5 s of silence again', () => {
    const call = failAt(callWithAudio({ agent: { initial_message: 'Hello.' } }), 8).runUntil(10);
    expect(openedStreams(call)[1]).toEqual({ atMs: 8_000, provider: 'test', fromMs: 8_000 - LEAD_MS });
    expect(call.endReason).toBeNull();
    expect(call.heard).toHaveLength(1);
  });
});

describe('transcriber failure after an outbound call has rung', () => {
  const ANSWER_SECONDS = 5;
  const ANSWER_MS = ANSWER_SECONDS * 1000;
  /** The call is answered after 5 s: second 1 of the audio is second 6 of the call. */
  function answeredCall(seconds = 12): Simulation {
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' } });
    call.at(ANSWER_SECONDS, (simulation) => simulation.emitControlEvent({ type: 'answered' }));
    for (let packet = 1; packet <= seconds * 50; packet++) {
      call.at(ANSWER_SECONDS + packet / 50, () => call.media.receive(20));
    }
    return call;
  }
  const addSpeechInAudio = (call: Simulation, from: number, to: number) =>
    call
      .at(ANSWER_SECONDS + from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
      .at(ANSWER_SECONDS + to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));

  it('sends the speech again from its place in the audio', () => {
    const call = addSpeechInAudio(answeredCall(), 2, 3);
    failAt(call, 8.5).runUntil(10);
    expect(openedStreams(call).map(({ atMs, fromMs }) => [atMs, fromMs])).toEqual([
      [0, 0],
      [8_500, 500],
    ]);
  });

  it('reopens the stream after long speech without words, unless the final was empty', () => {
    const withoutFinal = addSpeechInAudio(answeredCall(), 2, 4).runUntil(12);
    expect(openedStreams(withoutFinal)[1]).toEqual({
      atMs: ANSWER_MS + 4_000 + FIRST_WORDS_WAIT_MS,
      provider: 'test',
      fromMs: 500,
    });
    const withEmptyFinal = addSpeechInAudio(answeredCall(), 2, 4);
    withEmptyFinal.at(9.2, () =>
      withEmptyFinal.emitTranscriberEvent({
        type: 'final',
        text: '',
        words: [],
        startMs: 2_000,
        endMs: 4_000,
      }),
    );
    expect(withEmptyFinal.runUntil(12).transcriberStreams).toHaveLength(1);
  });

  it('sends earlier speech without words again for some time, then only the last 1.5 s', () => {
    const call = addSpeechInAudio(addSpeechInAudio(answeredCall(20), 2, 3), 6, 7);
    failAt(call, 15, { ...RETRYABLE, code: 'timeout' }).runUntil(18);
    expect(openedStreams(call)[1]?.fromMs).toBe(500);
    const longAfter = addSpeechInAudio(answeredCall(40), 2, 3);
    failAt(longAfter, 30).runUntil(33);
    expect(openedStreams(longAfter)[1]?.fromMs).toBe(30_000 - ANSWER_MS - LEAD_MS);
  });
});

describe('transcriber stream', () => {
  it('opens with the settings of its own provider entry', () => {
    const firstTranscriber = { provider: 'test', model: 'flux', eot_threshold: 0.8, eager_eot_threshold: 0.5 };
    const call = callWithAudio({
      agent: {
        transcriber: firstTranscriber,
        fallbacks: { transcriber: [{ provider: 'second' }] },
        custom_vocabulary: ['Trunkline'],
      },
    });
    failAt(call, 1, FATAL).runUntil(3);
    const shared = { language: 'en', vocabulary: ['Trunkline'] };
    expect(call.transcriberStreams.map(({ options: { format, ...options } }) => options)).toStrictEqual([
      { ...shared, provider: 'test', model: 'flux', eotThreshold: 0.8, eagerEotThreshold: 0.5 },
      { ...shared, provider: 'second' },
    ]);
  });
});

describe('transcriber failover', () => {
  const agent = { fallbacks: { transcriber: [{ provider: 'second' }] } };

  it('retries once, then uses the fallback with its turn detection', () => {
    const refused = { failsWith: { retryable: true } };
    const call = addSpeech(
      callWithAudio({
        agent,
        parameters: { fallbackTranscriberTraits: [{ detectsTurns: true, finalP99Ms: 400 }] },
        transcriberStreams: [{ neverReady: true }, refused],
      }),
      1,
      2,
    );
    failAt(call, 1.5);
    const turn = { type: 'turn', text: 'A table.', startMs: 1_000, endMs: 2_000 } as const;
    call
      .at(2.5, () => call.emitTranscriberEvent({ ...turn, phase: 'updated' }))
      .at(3.5, () => call.emitTranscriberEvent({ ...turn, phase: 'ended' }));
    call.runUntil(8);
    expect(openedStreams(call).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_500, 'test'],
      [1_500 + READY_MS, 'second'],
    ]);
    const failed = { type: 'provider_failed', kind: 'transcriber', provider: 'test' } as const;
    const failedOver = { type: 'provider_failed_over', kind: 'transcriber', from: 'test', to: 'second' } as const;
    expect(call.notices).toEqual([
      { ...failed, error: 'test closed: none' },
      { ...failedOver, error: 'test closed: no' },
    ]);
    // The fallback detects turns: its event ends the turn, not a pause.
    expect(call.commandTimesMs('model.request')).toEqual([3_500]);
    expect(call.dialogue[0]).toBe('user: A table.');
  });

  it('uses the fallback at once after a fatal failure, and after 3 s if a stream does not get ready', () => {
    const withFatalFailure = failAt(callWithAudio({ agent }), 1, FATAL).runUntil(3);
    expect(openedStreams(withFatalFailure).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_000, 'second'],
    ]);
    const neverReady = failAt(
      callWithAudio({ agent, transcriberStreams: [{ neverReady: true }, { neverReady: true }] }),
      1,
    ).runUntil(6);
    expect(openedStreams(neverReady).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_000, 'test'],
      [1_000 + 3_000, 'second'],
    ]);
    expect(neverReady.notices.slice(1)).toEqual([
      {
        type: 'provider_failed_over',
        kind: 'transcriber',
        from: 'test',
        to: 'second',
        error: 'test timeout: not ready in time',
      },
    ]);
  });

  it('reopens a stream that is lost again and again, and counts no failed turn', () => {
    const call = callWithAudio({ agent: {} }, 80);
    for (const at of [5, 15, 40, 55, 70]) failAt(call, at);
    call.runUntil(80);
    expect(openedStreams(call)).toHaveLength(6);
    expect(call.noticesOf('turn_failed')).toEqual([]);
    expect(call.endReason).toBeNull();
  });

  it('ends the call after an apology when the last transcriber fails, and without one before the answer', () => {
    const call = callWithAudio({ agent, transcriberStreams: [{ neverReady: true }, { neverReady: true }] });
    failAt(call, 2, FATAL);
    failAt(call, 2.5, FATAL).runUntil(20);
    const end = { reason: 'transcriber_error', detail: 'test unauthorized: none' };
    expect(call.journalEntries('ended')).toMatchObject([end]);
    expect(call.heard.at(-1)?.text).toBe('Goodbye.');
    // The stream that failed is not waited for.
    expect(call.notices.filter((notice) => JSON.stringify(notice).includes('not ready'))).toEqual([]);
    const ringing = new Simulation({ agent: {}, parameters: { direction: 'outbound' } });
    failAt(ringing, 1, FATAL).runUntil(3);
    expect(ringing.journalEntries('ended')).toMatchObject([end]);
    expect(ringing.heard).toEqual([]);
  });

  it('ends the call with the timeout as its detail if the last transcriber never gets ready', () => {
    const call = callWithAudio({ agent: {}, transcriberStreams: Array.from({ length: 20 }, () => NEVER_READY) });
    failAt(call, 1).runUntil(60);
    expect(call.journalEntries('ended')).toMatchObject([
      { reason: 'transcriber_error', detail: 'test timeout: not ready in time' },
    ]);
  });

  it('opens no stream during the apology of another provider', () => {
    const rejected = { failsWith: { retryable: false } };
    const call = callWithAudio({ agent, model: [rejected, rejected] })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(7, 7.5, 'Hello?');
    failAt(call, 8.2).runUntil(20);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.endReason).toBe('llm_error');
  });

  it('leaves a goodbye that is being said the last words of the call, even if the voice fails too', () => {
    const goodbye = { type: 'hang_up' as const, name: 'bye', filler_sentence: 'Thank you very much. Goodbye then.' };
    const call = callWithAudio({
      agent: { states: [{ name: 'start', tools: [goodbye] }] },
      model: [{ toolCalls: [{ name: 'bye' }] }],
      voice: { after: 1, failsAt: [{ textIndex: 1, afterMs: 0, retryable: false }] },
    }).userSpeaks(0.5, 1, 'That is all.');
    failAt(call, 2, FATAL).runUntil(20);
    expect(call.heardTexts).toEqual(['Thank you very much.']);
    expect(call.endReason).toBe('agent_hangup');
  });

  const DESK = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const callWithFailingTransfer = () =>
    callWithAudio({
      agent: { states: [{ name: 'start', tools: [DESK] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody is there.' }],
      transfer: { after: 4, succeeds: false },
    }).userSpeaks(0.5, 1, 'The desk please.');

  it('reopens a stream during a transfer, after whose failure the agent continues', () => {
    const call = failAt(callWithFailingTransfer(), 3).runUntil(20);
    expect(call.transcriberStreams).toHaveLength(2);
    expect(call.heardTexts).toEqual(['Nobody is there.']);
    expect(call.endReason).toBeNull();
  });

  it('delays the apology until a running transfer has failed', () => {
    const call = failAt(callWithFailingTransfer(), 3, FATAL).runUntil(20);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heardTexts).toEqual([
      'I am sorry, something went wrong on our side.',
      'Please call again a little later.',
      'Goodbye.',
    ]);
    expect(call.heard[0]?.fromMs).toBeGreaterThan(5_000);
  });
});
