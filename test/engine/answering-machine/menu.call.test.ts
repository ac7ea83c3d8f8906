import { describe, expect, it } from 'vitest';
import { SILENCE_MS } from '../../../engine/fillers/filler.ts';
import { FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import {
  AGENT_WITHOUT_MESSAGE,
  answerTypes,
  END_SILENCE_MS,
  FIRST_WORD_WAIT_MS,
  HANG_UP,
  INITIAL_MESSAGE,
  outboundCall,
  speaksWithInterims,
} from './outbound-call.ts';

const MENU = 'For sales, press one. For support, press two.';
const MENU_END_MS = 4_000;
/** After digits, the menu or a person may speak for this long. */
const MENU_WAIT_MS = 5_000;
const MENU_OVER_MS = MENU_END_MS + END_SILENCE_MS.ivr;
const AGENT = {
  initial_message: INITIAL_MESSAGE,
  states: [{ name: 'start', tools: [{ type: 'send_dtmf', name: 'keys' } as const, HANG_UP] }],
};

/** The model's first response sends DTMF digits. */
function modelThatSends(digits: string, text?: string) {
  const toolCalls = [{ name: 'keys', arguments: { digits } }];
  return { model: [{ ...(text === undefined ? {} : { text }), toolCalls }] };
}

/** The menu speaks from 0.5 s to `MENU_END_MS`. */
function menuCall(scenario: Parameters<typeof outboundCall>[1]) {
  return speaksWithInterims(outboundCall(AGENT, scenario), 0.5, MENU_END_MS / 1000, MENU);
}

describe('menu', () => {
  it('speaks to its end before the model is asked and sends a digit', () => {
    const call = menuCall(modelThatSends('2')).runUntil(7);
    expect(answerTypes(call)).toEqual([['ivr', 2_500]]);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('An automated menu answered');
    expect(call.media.sentDtmf).toEqual(['2']);
    expect(call.commandTimesMs('model.request')[0]).toBe(MENU_OVER_MS);
  });

  it('gets its digits after the agent’s speech, and the tool result comes after the last tone', () => {
    const call = menuCall(modelThatSends('1w2', 'One moment.')).runUntil(10);
    const speechMs = MENU_OVER_MS + MODEL_MS + VOICE_MS;
    const speechEndMs = speechMs + 550;
    // Two digits of 0.2 s and a pause of 0.5 s.
    const dtmfEndMs = speechEndMs + 900;
    expect(call.heard[0]).toEqual({ text: 'One moment.', fromMs: speechMs, toMs: speechEndMs });
    expect(call.commandTimesMs('playout.dtmf')[0]).toBe(speechEndMs);
    expect(call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs])).toEqual([
      [true, dtmfEndMs * 1000],
    ]);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.transcript.find(({ role }) => role === 'tool_call')).toMatchObject({ arguments: { digits: '1w2' } });
  });

  it.each(['', 'ring the bell', '12;3', '1'.repeat(33)])('gets no digits for the invalid argument «%s»', (digits) => {
    const call = menuCall(modelThatSends(digits)).runUntil(10);
    expect(call.media.sentDtmf).toEqual([]);
    expect(call.journalEntries('tool_called')[0]?.successful).toBe(false);
  });

  it('does not interrupt the response when it speaks while the model thinks', () => {
    const call = outboundCall(AGENT, {
      model: [{ after: 2, toolCalls: [{ name: 'keys', arguments: { digits: '1' } }] }],
    });
    speaksWithInterims(call, 0.5, MENU_END_MS / 1000, MENU)
      .userSpeaks(5.6, 9, MENU)
      .runUntil(12);
    expect(call.media.sentDtmf).toEqual(['1']);
  });

  it('speaks its next part to the end too; a person after it gets a response without that wait', () => {
    const call = menuCall(modelThatSends('2'));
    call.userSpeaks(8, 10, 'To hear this again, press one.').userSpeaks(15, 16, 'Support, Bob speaking.').runUntil(20);
    expect(call.commandTimesMs('model.request')).toEqual([
      MENU_OVER_MS,
      10_000 + END_SILENCE_MS.ivr,
      16_000 + FINAL_MS,
    ]);
  });
});

describe('after digits for a menu, the agent', () => {
  const DIGITS_OVER_MS = MENU_OVER_MS + MODEL_MS + 200;
  const digits = modelThatSends('2');

  it('is silent for five seconds, then the model decides what follows', () => {
    const call = menuCall({ model: [...digits.model, { text: 'Is anybody there?' }] }).runUntil(14);
    expect(call.commandTimesMs('model.request')).toEqual([MENU_OVER_MS, DIGITS_OVER_MS + MENU_WAIT_MS]);
    expect(call.modelRequests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Sent.' });
    expect(call.heardTexts).toEqual(['Is anybody there?']);
  });

  it('answers a person at once, and nothing follows by itself', () => {
    const call = menuCall({ model: [...digits.model, { text: 'Hello Bob.' }] })
      .userSpeaks(7, 8, 'Support, Bob speaking.')
      .runUntil(20);
    expect(call.commandTimesMs('model.request')).toEqual([MENU_OVER_MS, 8_000 + FINAL_MS]);
    expect(call.heardTexts[0]).toBe('Hello Bob.');
  });

  it('listens to a menu that lasts longer than the wait', () => {
    const call = menuCall(digits).userSpeaks(8, 13, 'To hear this again, press one.').runUntil(18);
    expect(call.commandTimesMs('model.request')).toEqual([MENU_OVER_MS, 13_000 + END_SILENCE_MS.ivr]);
  });
});

describe('a person behind a menu', () => {
  const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
  const agent = {
    ...AGENT,
    states: [{ name: 'start', tools: [{ type: 'send_dtmf', name: 'keys' } as const, LOOKUP] }],
  };
  const PERSON_END_MS = 11_000;
  const [digits] = modelThatSends('2').model;
  const callWith = (scenario: Pick<Scenario, 'model' | 'tools'>, text = 'Support, Bob speaking.') => {
    const model = [...(digits === undefined ? [] : [digits]), ...(scenario.model ?? [])];
    const call = outboundCall(agent, { ...scenario, model });
    return speaksWithInterims(call, 0.5, MENU_END_MS / 1000, MENU).userSpeaks(10, PERSON_END_MS / 1000, text);
  };
  const slowTool = {
    model: [{ toolCalls: [{ name: 'lookup' }] }],
    tools: { lookup: { after: 8, result: {} } },
  };

  it('hears a filler while a tool works', () => {
    const call = callWith(slowTool).runUntil(16);
    expect(call.heard[0]?.fromMs).toBe(PERSON_END_MS + SILENCE_MS + VOICE_MS);
  });

  it('gets an apology if no model answers', () => {
    const failure = { failsWith: { retryable: false } };
    const call = callWith({ model: [failure, failure] }).runUntil(20);
    expect(call.heardTexts.join(' ')).toContain('Could you say that again');
  });

  it('is answered by a retry after an empty answer', () => {
    const call = callWith({ model: [{ text: '' }, { text: 'Hello Bob.' }] }).runUntil(20);
    expect(call.heardTexts).toEqual(['Hello Bob.']);
  });

  it('is not a further part of the menu, which hears no filler', () => {
    expect(callWith(slowTool, 'To hear this again, press one.').runUntil(16).heard).toEqual([]);
  });
});

it('an announcement of the network after special information tones goes to the model, which ends the call', () => {
  const call = outboundCall(AGENT_WITHOUT_MESSAGE, { model: [{ toolCalls: [{ name: 'bye' }] }] });
  call.at(1.4, () => call.emitTone(0.3, 1.2, 'sit'));
  call.userSpeaks(1.8, 4, 'The number is not in service.').runUntil(20);
  expect(answerTypes(call)).toEqual([['unknown', 1_400]]);
  expect(call.modelRequests[0]?.messages[0]?.content).toContain('A recorded announcement answered');
  expect(call.modelRequests).toHaveLength(1);
  expect(call.heard).toEqual([{ text: INITIAL_MESSAGE, fromMs: FIRST_WORD_WAIT_MS + VOICE_MS, toMs: 1_400 }]);
  expect(call.endReason).toBe('agent_hangup');
});
