import { describe, expect, it } from 'vitest';
import { addSpeech, callWithAudio, FIRST_WORDS_WAIT_MS, openedStreams, WORDS_WAIT_MS } from './call-with-audio.ts';

describe('transcriber that sends no words', () => {
  it('gets long speech again on a new stream, and the user gets a response', () => {
    const call = addSpeech(callWithAudio({ agent: {} }), 2, 4);
    // The new stream counts from 0.5 s: the speech begins at 2 s, with a lead of 1.5 s.
    call.at(7, () =>
      call.emitTranscriberEvent({
        type: 'final',
        text: 'A table please.',
        words: [],
        startMs: 1_500,
        endMs: 3_500,
      }),
    );
    call.runUntil(10);
    expect(openedStreams(call)).toEqual([
      { atMs: 0, provider: 'test', fromMs: 0 },
      { atMs: 4_000 + FIRST_WORDS_WAIT_MS, provider: 'test', fromMs: 500 },
    ]);
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
    expect(call.transcript[0]).toMatchObject({ startUs: 2_000_000, endUs: 4_000_000 });
  });

  it.each([800, 1_200, 2_000])('keeps its stream if the first final of the call is only %i ms late', (lateMs) => {
    const call = addSpeech(callWithAudio({ agent: {} }), 2, 4.4);
    call.at(4.4 + lateMs / 1000, () => call.emitFinal(2, 4.4, 'A table please.')).runUntil(10);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
  });

  it('gets the speech again as fast as its finals came before', () => {
    const call = callWithAudio({ agent: {} }, 40);
    for (const at of [1, 4, 7]) call.userSpeaks(at, at + 1, 'I want it.');
    addSpeech(call, 12, 14).runUntil(20);
    expect(openedStreams(call)[1]?.atMs).toBe(14_000 + WORDS_WAIT_MS);
  });

  it('gets the speech again at once if its interims would have come during the speech', () => {
    const call = callWithAudio({ agent: {} }, 40).interimAt(1.5, 1, 'I want').userSpeaks(1, 2, 'I want it.');
    addSpeech(call, 12, 14).runUntil(20);
    expect(openedStreams(call)[1]?.atMs).toBe(14_000 + WORDS_WAIT_MS);
  });

  it.each([
    [1_499, 1],
    [1_500, 2],
  ])('after speech of %s ms has opened %s streams', (ms, streamCount) => {
    const call = addSpeech(callWithAudio({ agent: {} }), 1, 1 + ms / 1000).runUntil(8);
    expect(call.transcriberStreams).toHaveLength(streamCount);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('gets no speech again while the sound continues, which may be music', () => {
    const call = addSpeech(callWithAudio({ agent: {} }, 30), 1, 3);
    call.at(3.2, () => call.media.emit({ type: 'speech_started', audioMs: 3_200 })).runUntil(30);
    expect(call.transcriberStreams).toHaveLength(1);
  });

  it('gets speech again that begins where the last final ended, and logs it', () => {
    const call = addSpeech(callWithAudio({ agent: {} }), 2, 4);
    call.at(2.1, (simulation) => simulation.emitFinal(1, 2, '')).runUntil(8);
    expect(call.transcriberStreams).toHaveLength(2);
    expect(call.notices).toEqual([{ type: 'transcriber_reopened', speechMs: 2_000 }]);
  });

  it('keeps its stream if it has its own deadline', () => {
    const parameters = { transcriberTraits: { detectsTurns: false, hasDeadline: true, finalP99Ms: 1_655 } };
    const call = addSpeech(callWithAudio({ agent: {}, parameters }), 2, 4);
    call.at(8, (simulation) => simulation.emitFinal(2, 4, 'A table please.')).runUntil(12);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.dialogue).toEqual(['user: A table please.', 'agent: Yes.']);
  });

  it('gets one new stream, and no replacement, during repeated noise', () => {
    const call = callWithAudio({ agent: { fallbacks: { transcriber: [{ provider: 'second' }] } } }, 40);
    for (let from = 1; from < 30; from += 5) addSpeech(call, from, from + 2);
    call.runUntil(29);
    expect(openedStreams(call).map(({ atMs, provider }) => [atMs, provider])).toEqual([
      [0, 'test'],
      [3_000 + FIRST_WORDS_WAIT_MS, 'test'],
    ]);
    expect(call.endReason).toBeNull();
  });

  it('keeps its stream after an empty final, or a final with the agent’s own words', () => {
    for (const text of ['', 'Can I help you with the']) {
      const call = callWithAudio({ agent: { initial_message: 'Can I help you with the table of your choice?' } });
      addSpeech(call, 0.3, 2.4).at(2.6, (simulation) => simulation.emitFinal(0.3, 2.4, text));
      call.runUntil(8);
      expect(call.transcriberStreams).toHaveLength(1);
      expect(call.modelRequests).toEqual([]);
    }
  });
});
