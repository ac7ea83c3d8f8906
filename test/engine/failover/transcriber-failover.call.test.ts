import { describe, expect, it } from 'vitest';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOST = { provider: 'test', code: 'closed', message: 'none', retryable: true } as const;
const REFUSED = { ...LOST, code: 'unauthorized', retryable: false } as const;

/** A packet every 20 ms for so long: positions in the audio are times of the call. */
function listening(scenario: Scenario, seconds = 12): Simulation {
  const call = new Simulation(scenario);
  for (let packet = 1; packet <= seconds * 50; packet++) call.at(packet / 50, () => call.media.receive(20));
  return call;
}

function speech(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

const lose = (call: Simulation, at: number, error: ProviderError = LOST) =>
  call.at(at, () => call.emitTranscriberEvent({ type: 'failed', error }));
const opens = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((one) =>
      one.type === 'transcriber.open'
        ? [{ atMs: atUs / 1000, provider: one.options.provider, fromMs: one.fromMs }]
        : [],
    ),
  );
const requestedAtMs = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.some(({ type }) => type === 'model.request') ? [atUs / 1000] : [],
  );

describe('a transcriber that is lost in the middle of what the user says', () => {
  it('is dialled again at once, hears again what was not final, and no word is lost, doubled or noticed', () => {
    const call = speech(speech(listening({ agent: {} }), 1, 2), 2.3, 4)
      .at(2.2, (one) => one.emitFinal(1, 2, 'I would like', false))
      .interimAt(2.9, 2.3, 'a table');
    lose(call, 3);
    // The new stream counts from 2.0 s: what it tells is shifted back to the call's own time.
    call.at(3.4, () => call.emitTranscriberEvent({ type: 'interim', text: 'a table for', startMs: 300, endMs: 1_400 }));
    call.at(4.2, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'a table for four.',
        words: [],
        startMs: 300,
        endMs: 2_000,
        endOfTurn: true,
      }),
    );
    call.runUntil(8);
    expect(opens(call)).toEqual([
      { atMs: 0, provider: 'test', fromMs: 0 },
      { atMs: 3_000, provider: 'test', fromMs: 2_000 },
    ]);
    expect(call.dialogue).toEqual(['user: I would like a table for four.', 'agent: Yes.']);
    expect(call.transcript[0]).toMatchObject({ startUs: 1_000_000, endUs: 4_000_000 });
    expect(call.heard).toEqual([{ text: 'Yes.', fromMs: 4_500, toMs: 4_700 }]);
    // 2.0 s to 3.06 s at once, and each packet from then on.
    expect(call.transcriberStreams[1]?.bytes).toBe((8_000 - 2_000) * 8);
  });

  it('takes no half-heard turn meanwhile: it is answered the moment its words are whole', () => {
    const call = speech(
      listening({ agent: {}, transcriberStreams: [{ neverReady: true }, { failsWith: { retryable: true } }] }),
      1,
      2,
    ).interimAt(1.8, 1, 'I want');
    lose(call, 2.1);
    call.at(3.1, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'I want a table.',
        words: [],
        startMs: 1_000,
        endMs: 2_000,
        endOfTurn: true,
      }),
    );
    call.runUntil(8);
    // Refused 50 ms after the first dial; the second one waits for half a second, spread over the calls.
    expect(opens(call).map(({ atMs }) => atMs)).toEqual([0, 2_100, 2_543]);
    expect(requestedAtMs(call)).toEqual([3_100]);
    expect(call.dialogue[0]).toBe('user: I want a table.');
  });

  it('and tells no words after it: what was heard before is answered after the wait for them', () => {
    const call = speech(listening({ agent: {} }), 1, 2).interimAt(1.8, 1, 'I want a table');
    lose(call, 1.9).runUntil(8);
    expect(requestedAtMs(call)).toEqual([3_950]);
    expect(call.dialogue[0]).toBe('user: I want a table');
  });

  it('lets a turn go that was whole already, without waiting for a stream', () => {
    const call = speech(listening({ agent: {} }), 1, 2).at(2.1, (one) => one.emitFinal(1, 2, 'I want', false));
    lose(call, 2.2).runUntil(8);
    // Asked ahead as soon as the words were final, and answered when the turn is over.
    expect(requestedAtMs(call)).toEqual([2_100]);
    expect(call.heard[0]?.fromMs).toBe(2_700);
  });

  it('long after they were spoken: the next one hears words that it still owed, and they are answered', () => {
    const fallbacks = { transcriber: [{ provider: 'second' }] };
    const call = speech(listening({ agent: { fallbacks } }, 16), 2, 3);
    lose(call, 12, { ...LOST, code: 'timeout' });
    // It counts from 0.5 s: a lead before the sound.
    call.at(12.5, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'A table please.',
        words: [],
        startMs: 1_500,
        endMs: 2_500,
        endOfTurn: true,
      }),
    );
    call.runUntil(16);
    expect(opens(call)[1]).toEqual({ atMs: 12_000, provider: 'second', fromMs: 500 });
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
  });

  it('and told of later sounds, or was silent on noise long ago, is heard again from shortly before alone', () => {
    const told = speech(speech(listening({ agent: {} }, 16), 2, 3), 5, 6).at(6.2, (one) => one.emitFinal(5, 6, 'Yes.'));
    lose(told, 12).runUntil(16);
    expect(opens(told)[1]?.fromMs).toBe(10_500);
    const noisy = lose(speech(listening({ agent: {} }, 20), 2, 3), 18).runUntil(20);
    expect(opens(noisy)[1]?.fromMs).toBe(16_500);
  });

  it('while nobody speaks is only opened again, from shortly before', () => {
    const call = lose(listening({ agent: { initial_message: 'Hello.' } }), 8).runUntil(10);
    expect(opens(call)[1]).toEqual({ atMs: 8_000, provider: 'test', fromMs: 6_500 });
    expect(call.endReason).toBeNull();
    expect(call.heard).toHaveLength(1);
  });
});

describe('a transcriber of a call that rang before its audio began', () => {
  /** Rung for five seconds: what is at 1 s of the audio is at 6 s of the call. */
  function rung(seconds = 12): Simulation {
    const call = new Simulation({ agent: {}, parameters: { direction: 'outbound' } });
    call.at(5, (one) => one.emitControlEvent({ type: 'answered' }));
    for (let packet = 1; packet <= seconds * 50; packet++) call.at(5 + packet / 50, () => call.media.receive(20));
    return call;
  }
  const spoke = (call: Simulation, from: number, to: number) =>
    call
      .at(5 + from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
      .at(5 + to, () => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));

  it('hears again from the same place of the audio when it is lost', () => {
    const call = spoke(rung(), 2, 3);
    lose(call, 8.5).runUntil(10);
    expect(opens(call).map(({ atMs, fromMs }) => [atMs, fromMs])).toEqual([
      [0, 0],
      [8_500, 500],
    ]);
  });

  it('is reopened where it tells no word of a long sound, with that sound, unless it told that there was none', () => {
    const mute = spoke(rung(), 2, 4).runUntil(12);
    expect(opens(mute)[1]).toEqual({ atMs: 9_700, provider: 'test', fromMs: 500 });
    const told = spoke(rung(), 2, 4);
    told.at(9.2, () =>
      told.emitTranscriberEvent({ type: 'final', text: '', words: [], startMs: 2_000, endMs: 4_000, endOfTurn: true }),
    );
    expect(told.runUntil(12).transcriberStreams).toHaveLength(1);
  });

  it('owes words of an earlier sound for a while', () => {
    const call = spoke(spoke(rung(20), 2, 3), 6, 7);
    lose(call, 15, { ...LOST, code: 'timeout' }).runUntil(18);
    expect(opens(call)[1]?.fromMs).toBe(500);
    const long = spoke(rung(40), 2, 3);
    lose(long, 30).runUntil(33);
    expect(opens(long)[1]?.fromMs).toBe(23_500);
  });
});

describe('the transcriber that is opened', () => {
  it('is given the settings of its own entry, and none that is not there', () => {
    const own = { provider: 'test', model: 'flux', eot_threshold: 0.8, eager_eot_threshold: 0.5 };
    const call = listening({
      agent: {
        transcriber: own,
        fallbacks: { transcriber: [{ provider: 'second' }] },
        custom_vocabulary: ['Trunkline'],
      },
    });
    lose(call, 1, REFUSED).runUntil(3);
    const shared = { language: 'en', vocabulary: ['Trunkline'] };
    expect(call.transcriberStreams.map(({ options: { format, ...options } }) => options)).toEqual([
      { ...shared, provider: 'test', model: 'flux', eotThreshold: 0.8, eagerEotThreshold: 0.5 },
      { ...shared, provider: 'second' },
    ]);
  });
});

describe('a transcriber that stays away', () => {
  const agent = { fallbacks: { transcriber: [{ provider: 'second' }] } };

  it('is tried twice more, then the next one of the list listens, with what it can', () => {
    const refuses = { failsWith: { retryable: true } };
    const call = speech(
      listening({
        agent,
        parameters: { fallbackTranscriberTraits: [{ detectsTurns: true, finalP99Ms: 400 }] },
        transcriberStreams: [{ neverReady: true }, refuses, refuses],
      }),
      1,
      2,
    );
    lose(call, 1.5);
    const said = { type: 'turn', text: 'A table.', startMs: 1_000, endMs: 2_000 } as const;
    call
      .at(2.5, () => call.emitTranscriberEvent({ ...said, phase: 'updated' }))
      .at(3.5, () => call.emitTranscriberEvent({ ...said, phase: 'ended' }));
    call.runUntil(8);
    expect(opens(call).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_500, 'test'],
      [1_943, 'test'],
      [1_993, 'second'],
    ]);
    // It detects turns by itself: its word is waited for, and not a pause.
    expect(requestedAtMs(call)).toEqual([3_500]);
    expect(call.dialogue[0]).toBe('user: A table.');
  });

  it('is left at once where trying again cannot help, or where it does not get ready', () => {
    const refused = lose(listening({ agent }), 1, REFUSED).runUntil(3);
    expect(opens(refused).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_000, 'second'],
    ]);
    const silent = lose(
      listening({ agent, transcriberStreams: [{ neverReady: true }, { neverReady: true }] }),
      1,
    ).runUntil(6);
    expect(opens(silent).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [1_000, 'test'],
      [4_000, 'second'],
    ]);
  });

  it('may be lost again and again, as long as it comes back: not more than twice in half a minute', () => {
    const call = listening({ agent: {} }, 80);
    for (const at of [5, 15, 40, 55]) lose(call, at);
    call.runUntil(80);
    expect(call.endReason).toBeNull();
    lose(call, 80.5);
    lose(call, 81).runUntil(100);
    expect(call.endReason).toBe('transcriber_error');
  });

  it('ends the call after the apology once all are gone, and before the answer without one', () => {
    const call = listening({ agent });
    lose(call, 2, REFUSED);
    lose(call, 2.5, REFUSED).runUntil(20);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.at(-1)?.text).toBe('Goodbye.');
    const ringing = new Simulation({ agent: {}, parameters: { direction: 'outbound' } });
    lose(ringing, 1, REFUSED).runUntil(3);
    expect(ringing.endReason).toBe('transcriber_error');
    expect(ringing.heard).toEqual([]);
  });

  it('during a transfer says so when the user comes back', () => {
    const desk = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
    const call = listening({
      agent: { states: [{ name: 'start', tools: [desk] }] },
      model: [{ toolCalls: [{ name: 'desk' }] }],
      transfer: { after: 4, succeeds: false },
    }).userSpeaks(0.5, 1, 'The desk please.');
    lose(call, 3, REFUSED).runUntil(20);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.heard.map(({ text }) => text)).toEqual([
      'I am sorry, something went wrong on our side.',
      'Please call again a little later.',
      'Goodbye.',
    ]);
    expect(call.heard[0]?.fromMs).toBeGreaterThan(5_000);
  });
});

describe('a transcriber that is open and tells nothing', () => {
  it('is reopened after a long sound, hears that again, and the user is answered', () => {
    const call = speech(listening({ agent: {} }), 2, 4);
    // It counts from 0.5 s: a lead before the sound.
    call.at(5, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'A table please.',
        words: [],
        startMs: 1_500,
        endMs: 3_500,
        endOfTurn: true,
      }),
    );
    call.runUntil(8);
    expect(opens(call)).toEqual([
      { atMs: 0, provider: 'test', fromMs: 0 },
      { atMs: 4_700, provider: 'test', fromMs: 500 },
    ]);
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
    expect(call.transcript[0]).toMatchObject({ startUs: 2_000_000, endUs: 4_000_000 });
  });

  it.each([
    [1_499, 1],
    [1_500, 2],
  ])('is one after a sound of %s ms: %s streams', (ms, streams) => {
    const call = speech(listening({ agent: {} }), 1, 1 + ms / 1000).runUntil(8);
    expect(call.transcriberStreams).toHaveLength(streams);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('is only slow where it answers or fails within a time of its own: nothing is asked of it twice', () => {
    const parameters = { transcriberTraits: { detectsTurns: false, hasDeadline: true, finalP99Ms: 1_655 } };
    const call = speech(listening({ agent: {}, parameters }), 2, 4);
    call.at(8, (one) => one.emitFinal(2, 4, 'A table please.')).runUntil(12);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
  });

  it('is not changed again and again by music or noise, nor given up', () => {
    const call = listening({ agent: { fallbacks: { transcriber: [{ provider: 'second' }] } } }, 40);
    for (let from = 1; from < 30; from += 5) speech(call, from, from + 2);
    call.runUntil(29);
    expect(opens(call).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [3_700, 'test'],
    ]);
    expect(call.endReason).toBeNull();
  });

  it('is none where it told that there were no words, or that they were the agent’s own', () => {
    for (const text of ['', 'Can I help you with the']) {
      const call = listening({ agent: { initial_message: 'Can I help you with the table of your choice?' } });
      speech(call, 0.3, 2.4).at(2.6, (one) => one.emitFinal(0.3, 2.4, text));
      call.runUntil(8);
      expect(call.transcriberStreams).toHaveLength(1);
      expect(call.modelRequests).toEqual([]);
    }
  });
});
