import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } };
const STALLS = { stalls: true };
const FILLER = 'One moment, please.';

const USER_SPEECH_END_MS = 1_000;
const REQUEST_MS = USER_SPEECH_END_MS + FINAL_MS;
const FILLER_DELAY_MS = 3_000;

/** The first request to the model is at `REQUEST_MS`. */
function callWithResponses(agent: object, model: NonNullable<Scenario['model']>): Simulation {
  return new Simulation({ agent, model }).userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'Hello?');
}

describe('thinking filler', () => {
  it('comes three seconds after the user’s last sound, and the response follows', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      [FILLER, USER_SPEECH_END_MS + FILLER_DELAY_MS + VOICE_MS],
      ['It is ten.', REQUEST_MS + 8_000 + VOICE_MS],
    ]);
    expect(call.dialogue).toEqual(['user: Hello?', `agent: ${FILLER}`, 'agent: It is ten.']);
    expectReplay(call);
  });

  it('waits one second after the first token for the first sentence', () => {
    const answer = (after: number) => callWithResponses({}, [{ firstTokenAfter: 2.7, after, text: 'It is ten.' }]);
    expect(answer(3.6).runUntil(30).heardText).toBe('It is ten.');
    expect(answer(4).runUntil(30).heardText).toBe(`${FILLER} It is ten.`);
  });

  it('has the language of the call', () => {
    expect(callWithResponses({ language: 'de' }, [STALLS]).runUntil(6).heardText).toBe('Einen Moment, bitte.');
  });

  it('is shared by all models of a turn, and no model has to continue a broken response', () => {
    const call = callWithResponses(FALLBACKS, [STALLS, { firstTokenAfter: 3, after: 3, text: 'Here.' }]).runUntil(30);
    expect(call.heardText).toBe(`${FILLER} Here.`);
    const [, secondRequest] = call.modelRequests;
    expect(secondRequest?.messages.at(-2)).toEqual({ role: 'assistant', content: FILLER });
    expect(secondRequest?.messages.at(-1)?.content).toContain('Go on with what you still owe them');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    call.userSpeaks(31, 32, 'And then?').runUntil(40);
    expect(call.modelRequests[2]?.messages.slice(1, 3)).toEqual([
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: `${FILLER} Here.` },
    ]);
  });

  it('comes again in the next turn', () => {
    const slow = { firstTokenAfter: 3.5, after: 3.5, text: 'Yes.' };
    const call = callWithResponses({}, [slow, slow]).userSpeaks(10, 10.5, 'And then?').runUntil(30);
    expect(call.heardTexts).toEqual([FILLER, 'Yes.', FILLER, 'Yes.']);
  });

  it('does not come while the user speaks, and the new words get the response', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4, 5, 'And what does it cost?')
      .runUntil(30);
    expect(call.heardTexts).toEqual(['Yes.']);
  });

  describe('during a sound', () => {
    const SLOW = { firstTokenAfter: 12, after: 12, text: 'Late.' };
    const WITHHELD_MS_MAX = 4_000;
    /** From the start of a sound, while it is not known whether interims come. */
    const UNKNOWN_SOUND_MS_MAX = 2_500;
    const SOUND_END_S = 20;
    /** The user makes a sound from this time after their words. */
    function callWithSound(seconds: number, sendsInterims = true): Simulation {
      const fromMs = USER_SPEECH_END_MS + seconds * 1000;
      const call = callWithResponses({}, [SLOW, { text: 'Yes.' }]);
      if (sendsInterims) call.interimAt(0.8, 0.5, 'Hello');
      return call
        .at(fromMs / 1000, ({ media }) => media.emit({ type: 'speech_started', audioMs: fromMs }))
        .at(SOUND_END_S, ({ media }) => media.emit({ type: 'speech_stopped', audioMs: SOUND_END_S * 1000 }));
    }

    it.each([1.6, 2.4, 2.9])('without words comes four seconds after the user’s words: from %s s on', (seconds) => {
      const call = callWithSound(seconds).runUntil(10);
      expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
        [FILLER, USER_SPEECH_END_MS + WITHHELD_MS_MAX + VOICE_MS],
      ]);
      expectReplay(call);
    });

    it('does not come once an interim shows that the sound has words', () => {
      const call = callWithSound(2.4).interimAt(4.3, 3.4, 'And what').interimAt(6.5, 3.4, 'And what does it');
      call.interimAt(8.7, 3.4, 'And what does it cost to').runUntil(10);
      expect(call.heard).toEqual([]);
    });

    it('comes later while the words of the sound may come at its end', () => {
      const call = callWithSound(2.4, false).runUntil(10);
      expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
        [FILLER, USER_SPEECH_END_MS + 2_400 + UNKNOWN_SOUND_MS_MAX + VOICE_MS],
      ]);
    });
  });

  it('comes three seconds after a statement that follows the filler, which is asked at once', () => {
    const slow = { firstTokenAfter: 9, after: 9, text: 'Late.' };
    const call = callWithResponses({}, [slow, slow]).userSpeaks(7, 7.3, 'Stop.').runUntil(13);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      [FILLER, USER_SPEECH_END_MS + FILLER_DELAY_MS + VOICE_MS],
      [expect.any(String), 7_300 + FILLER_DELAY_MS + VOICE_MS],
    ]);
  });

  it('allows an interruption, and the new words get the response', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4.5, 6.5, 'What is going on there?')
      .runUntil(30);
    expect(call.heardText.endsWith('Yes.')).toBe(true);
    expect(call.heardText).not.toContain('Late.');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
  });

  it('does not come while the call is on hold', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }])
      .at(2, (simulation) => simulation.emitControlEvent({ type: 'on_hold' }))
      .at(7, (simulation) => simulation.emitControlEvent({ type: 'off_hold' }))
      .runUntil(30);
    expect(call.heardText).toBe('Late.');
  });

  it('counts as the response in the turn metrics, and the model’s latency is reported in full', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(call.turnTimes).toMatchObject([
      { llmFirstTokenMs: 8_000, responseMs: FILLER_DELAY_MS + VOICE_MS, engineMs: null },
    ]);
  });
});
