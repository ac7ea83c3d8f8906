import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const MESSAGE = 'This is Anna. Please call us back.';
const GREETING = 'Hello, this is Anna.';
const VOICEMAIL_TOOL = { type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: MESSAGE } as const;
const HANG_UP = { type: 'hang_up', name: 'bye' } as const;

/** A call that we placed; it is answered at 0. */
function placed(agent: Scenario['agent'], scenario: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent, parameters: { direction: 'outbound' }, ...scenario });
  return call.at(0, () => call.emitControlEvent({ type: 'answered' }));
}

/** With the words as they become known: an interim each second, and the final. */
function talks(call: Simulation, from: number, to: number, text: string): Simulation {
  for (let at = from + 1; at < to; at++) {
    const heard = text.slice(0, Math.round((text.length * (at - from - 0.3)) / (to - from)));
    call.interimAt(at, from, heard.slice(0, Math.max(0, heard.lastIndexOf(' '))));
  }
  return call.userSpeaks(from, to, text);
}

function answerTypes(call: Simulation) {
  return call.journalEntries('answer_type').map(({ answerType, atUs }) => [answerType, atUs / 1000]);
}

const withMessage = { initial_message: GREETING, states: [{ name: 'start', tools: [VOICEMAIL_TOOL] }] };
const withoutMessage = { initial_message: GREETING, states: [{ name: 'start', tools: [HANG_UP] }] };

describe('a person who answers our call', () => {
  it.each([
    { said: 'Hello?', to: 0.9 },
    { said: 'Meyer, guten Tag.', to: 1.9 },
    { said: 'Yes', to: 0.8 },
    { said: 'Good evening, this is the Miller residence, Bob speaking.', to: 3.4 },
  ])('and says «$said» is answered at the very ms at which a user of ours would be', ({ said, to }) => {
    const agent = { initial_message: GREETING, initial_message_delay: 50 };
    const ours = placed(agent).userSpeaks(0.4, to, said).runUntil(10);
    const theirs = new Simulation({ agent }).userSpeaks(0.4, to, said).runUntil(10);
    expect(ours.heard[0]).toMatchObject({ text: GREETING });
    expect(ours.heard[0]?.fromMs).toBe(theirs.heard[0]?.fromMs);
    expect(ours.modelRequests).toEqual([]);
  });

  it('is told as one when the greeting has ended, and no more', () => {
    const call = placed({ initial_message: GREETING }).userSpeaks(0.4, 0.9, 'Hello?').runUntil(10);
    expect(answerTypes(call)).toEqual([['human', 1_100]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([[GREETING, 1_300]]);
  });

  it('and says nothing hears the initial message after a second', () => {
    const call = placed({ initial_message: GREETING }).runUntil(10);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 1_200, toMs: 2_200 }]);
    expect(answerTypes(call)).toEqual([['unknown', 4_000]]);
  });

  it('and says nothing hears it after its own delay, where that is longer', () => {
    const call = placed({ initial_message: GREETING, initial_message_delay: 3 }).runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(3_200);
  });

  it('and stands in noise hears it two seconds after that has begun', () => {
    const call = placed({ initial_message: GREETING });
    call.at(0.2, () => call.media.emit({ type: 'speech_started', audioMs: 200 })).runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(2_400);
  });

  it('and rustles at first hears it once that has ended', () => {
    const call = placed({ initial_message: GREETING });
    call.at(0.6, () => call.media.emit({ type: 'speech_started', audioMs: 600 }));
    call.at(1.1, () => call.media.emit({ type: 'speech_stopped', audioMs: 1_100 }));
    call.runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(2_000);
  });

  it('is known by answering what the agent has said', () => {
    const call = placed({ initial_message: GREETING }).userSpeaks(5, 8, 'Oh hello Anna, how nice of you to call me.');
    call.runUntil(12);
    expect(answerTypes(call)).toEqual([
      ['unknown', 4_000],
      ['human', 8_200],
    ]);
  });

  it('is not taken for a machine by words that people say too, nor by a beep in the middle of the talk', () => {
    const call = placed({ ...withMessage, initial_message: '' });
    call.userSpeaks(0.4, 0.9, 'Hello?').userSpeaks(3, 4.5, 'I only got your voicemail.').userSpeaks(7, 8, 'Yes?');
    call.at(10, () => call.emitTone(9.5, 9.8)).runUntil(14);
    expect(answerTypes(call)).toEqual([['human', 1_100]]);
    expect(call.heard.map(({ text }) => text)).not.toContain('This is Anna.');
    expect(call.modelRequests).toHaveLength(3);
  });

  it('who hangs up before anything is known ends the call, and no type is told', () => {
    const call = placed({ initial_message: GREETING }).hangUpAt(0.5).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(answerTypes(call)).toEqual([]);
    expect(call.clock.pending).toBe(0);
  });

  it('who calls us is not judged, and no tone is listened for', () => {
    const call = new Simulation({ agent: withMessage }).userSpeaks(0.4, 3, 'Leave a message after the tone.');
    call.at(4, () => call.emitTone(3.3, 3.8)).runUntil(8);
    expect(answerTypes(call)).toEqual([]);
    expect(call.commands.filter(({ type }) => type === 'tones.listen')).toEqual([]);
    expect(call.heard.map(({ text }) => text)).not.toContain('This is Anna.');
  });
});

describe('a voicemail', () => {
  const reached = "You've reached Bob Smith. Please leave a message after the tone.";

  it('is left the message after its beep, and the call ends once it was said', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.emitTone(4.7, 5.2)).runUntil(20);
    expect(answerTypes(call)).toEqual([['voicemail', 3_500]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 5_600],
      ['Please call us back.', 6_250],
    ]);
    expect(call.endReason).toBe('voicemail_left');
    expect(call.dialogue).toEqual([`user: ${reached}`, `agent: ${MESSAGE}`]);
    expect(call.modelRequests).toEqual([]);
    expect(call.media.listensForTones).toBe(false);
  });

  it.each([
    ['says it once it is told to', [{}, { text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['says it at once', [{ text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['never says it', [{}, {}, {}], 'llm_error', 'something went wrong'],
  ])('is never left an empty message: a model whose tool has none %s', (_what, texts, ended, left) => {
    const tool = { type: 'leave_voicemail_message', name: 'leave_message' } as const;
    const agent = { initial_message: GREETING, states: [{ name: 'start', tools: [tool] }] };
    const model = texts.map((text) => ({ ...text, toolCalls: [{ name: 'leave_message' }] }));
    const call = talks(placed(agent, { model }), 0.5, 4, reached).runUntil(40);
    expect(call.endReason).toBe(ended);
    expect(call.dialogue[1]).toContain(left);
  });

  it('without a beep is left the message once its greeting has been over for 1.8 s', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).runUntil(20);
    expect(call.heard[0]).toMatchObject({ text: 'This is Anna.', fromMs: 6_000 });
    expect(call.endReason).toBe('voicemail_left');
  });

  it('that goes on talking after a pause is listened to until its end', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).userSpeaks(5, 9, 'To send it press hash.');
    call.runUntil(20);
    expect(call.heard[0]?.fromMs).toBe(11_000);
  });

  it('whose beep comes late is told the message again from its beginning', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(7, () => call.emitTone(6.3, 6.8)).runUntil(20);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 6_000],
      ['Please call us back.', 6_650],
      ['This is Anna.', 7_200],
      ['Please call us back.', 7_850],
    ]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('that plays sounds into the message does not cut it', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.emitTone(4.7, 5.2));
    call.userSpeaks(6, 7, 'Stop. Press one for more options.').runUntil(20);
    expect(call.heard.map(({ text }) => text)).toEqual(['This is Anna.', 'Please call us back.']);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('that was taken for a person is noticed by its beep: what is being said is cut, and the message left', () => {
    const call = placed(withMessage).userSpeaks(0.5, 2, 'This is the Miller family.');
    call.at(2.8, () => call.emitTone(2.3, 2.6)).runUntil(20);
    expect(answerTypes(call)).toEqual([
      ['human', 2_200],
      ['voicemail', 2_800],
    ]);
    expect(call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs])).toEqual([
      [GREETING, 2_400, 2_800],
      ['This is Anna.', 3_000, 3_650],
      ['Please call us back.', 3_650, 4_650],
    ]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('that begins to talk while the initial message is said is not talked over', () => {
    const call = placed(withMessage);
    call.at(1.5, () => call.media.emit({ type: 'speech_started', audioMs: 1_500 }));
    call.interimAt(3, 1.5, 'Please leave a message after the tone').userSpeaks(1.5, 4.5, reached).runUntil(20);
    expect(call.heard[0]).toEqual({ text: GREETING, fromMs: 1_200, toMs: 1_500 });
    expect(call.heard[1]).toMatchObject({ text: 'This is Anna.', fromMs: 6_500 });
  });

  it('that pauses as a person would is talked over until it goes on, and no longer', () => {
    const call = placed(withMessage).userSpeaks(0.5, 1.9, 'This is Bob Smith.');
    call.userSpeaks(2.5, 5, 'Please leave a message after the tone.').runUntil(20);
    expect(answerTypes(call)).toEqual([
      ['human', 2_100],
      ['voicemail', 5_200],
    ]);
    expect(call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs]).slice(0, 2)).toEqual([
      [GREETING, 2_300, 2_500],
      // A sound without words holds the agent for two seconds, as it does for a user of ours.
      [GREETING, 4_500, 5_200],
    ]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('that only beeps is left the message', () => {
    const call = placed(withMessage);
    call.at(0.9, () => call.emitTone(0.3, 0.7)).runUntil(20);
    expect(answerTypes(call)).toEqual([['voicemail', 900]]);
    expect(call.heard[0]).toMatchObject({ text: 'This is Anna.', fromMs: 1_100 });
  });

  it('that never falls silent is left the message after a minute', () => {
    const call = placed(withMessage);
    call.at(0.5, () => call.media.emit({ type: 'speech_started', audioMs: 500 }));
    call.interimAt(2, 0.5, reached).runUntil(80);
    expect(call.heard[0]?.fromMs).toBe(62_200);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('in another language than the agent lists is known by its English words, and by its beep', () => {
    const call = talks(placed({ ...withMessage, language: 'ja' }), 0.5, 3, 'Hello, leave a message after the tone.');
    expect(answerTypes(call.runUntil(20))[0]?.[0]).toBe('voicemail');
  });

  it('has its message filled in with the variables', () => {
    const tool = { ...VOICEMAIL_TOOL, filler_sentence: 'Hello {{name}}.' };
    const agent = { states: [{ name: 'start', tools: [tool] }] };
    const call = placed(agent, { parameters: { direction: 'outbound', dynamicVariables: { name: '{{bob}}' } } });
    talks(call, 0.5, 4, reached).runUntil(20);
    expect(call.heard.map(({ text }) => text)).toEqual(['Hello {{bob}}.']);
  });

  it('that hangs up during its greeting ends the call as hung up, and no message was left', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).hangUpAt(4.5).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.heard).toEqual([]);
    expect(call.dialogue).toEqual([`user: ${reached}`]);
  });

  it('that hangs up during the message ends the call as hung up', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).hangUpAt(6.2).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
  });

  it('whose message no voice can say was not left one', () => {
    const call = talks(placed(withMessage, { voice: { fails: 'always' } }), 0.5, 4, reached).runUntil(20);
    expect(call.endReason).toBe('voice_error');
  });

  it('for which the agent has no message is the model’s to decide, once it has come to its end', () => {
    const model = [{ toolCalls: [{ name: 'bye' }] }];
    const call = talks(placed(withoutMessage, { model }), 0.5, 4, reached).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('A voicemail answered');
    expect(call.modelRequests[0]?.messages[1]).toEqual({ role: 'user', content: reached });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('agent_hangup');
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(asked?.atUs).toBe(5_800_000);
  });

  it('that only the model has recognised is left the message in the same way', () => {
    const call = placed(withMessage, { model: [{ text: 'Hm.', toolCalls: [{ name: 'leave_message' }] }] });
    call.userSpeaks(0.5, 1, 'Hello?').userSpeaks(4, 5, 'Talk now, I am out.');
    call.at(6, () => call.emitTone(5.5, 5.8)).runUntil(20);
    expect(answerTypes(call)).toEqual([
      ['human', 1_200],
      ['voicemail', 5_300],
    ]);
    expect(call.heard.slice(1).map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 6_200],
      ['Please call us back.', 6_850],
    ]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('replays exactly', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.emitTone(4.7, 5.2)).runUntil(20);
    expectReplay(call);
  });
});

describe('a menu', () => {
  const menu = 'For sales, press one. For support, press two.';
  const agent = {
    initial_message: GREETING,
    states: [{ name: 'start', tools: [{ type: 'send_dtmf', name: 'keys' } as const, HANG_UP] }],
  };
  const pressing = (digits: string, text?: string) => ({
    model: [{ ...(text === undefined ? {} : { text }), toolCalls: [{ name: 'keys', arguments: { digits } }] }],
  });

  it('is heard to its end, told to the model, and answered with keys', () => {
    const call = talks(placed(agent, pressing('2')), 0.5, 4, menu).runUntil(7);
    expect(answerTypes(call)).toEqual([['ivr', 2_500]]);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('An automated menu answered');
    expect(call.media.sentDtmf).toEqual(['2']);
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(asked?.atUs).toBe(5_200_000);
  });

  it('gets its keys after what is being said, and the model their result once they have sounded', () => {
    const call = talks(placed(agent, pressing('1w2', 'One moment.')), 0.5, 4, menu).runUntil(10);
    const pressed = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'playout.dtmf'));
    // «One moment.» leaves the wire from 5.5 to 6.05 s; two keys and half a second between them take 0.9 s.
    expect(call.heard[0]).toEqual({ text: 'One moment.', fromMs: 5_500, toMs: 6_050 });
    expect(pressed?.atUs).toBe(6_050_000);
    expect(call.journalEntries('tool_called').map(({ successful, atUs }) => [successful, atUs])).toEqual([
      [true, 6_950_000],
    ]);
    expect(call.modelRequests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Sent.' });
    expect(call.transcript.find(({ role }) => role === 'tool_call')).toMatchObject({ arguments: { digits: '1w2' } });
  });

  it.each(['', 'ring the bell', '12;3', '1'.repeat(33)])('is not sent «%s»', (digits) => {
    const call = talks(placed(agent, pressing(digits)), 0.5, 4, menu).runUntil(10);
    expect(call.media.sentDtmf).toEqual([]);
    expect(call.journalEntries('tool_called')[0]?.successful).toBe(false);
  });

  it('that talks on while the model thinks does not cut its answer off', () => {
    const call = placed(agent, { model: [{ after: 2, toolCalls: [{ name: 'keys', arguments: { digits: '1' } }] }] });
    talks(call, 0.5, 4, menu).userSpeaks(5.6, 9, menu).runUntil(12);
    expect(call.media.sentDtmf).toEqual(['1']);
  });

  it('is waited for in its next part too, and a person behind it is not', () => {
    const call = talks(placed(agent, pressing('2')), 0.5, 4, menu);
    call.userSpeaks(8, 10, 'To hear this again, press one.').userSpeaks(15, 16, 'Support, Bob speaking.').runUntil(20);
    const requests = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(requests.map(({ atUs }) => atUs / 1000)).toEqual([5_200, 5_500, 11_200, 16_200]);
  });
});

describe('a call screening', () => {
  const screening = 'Please say your name and why you are calling.';

  it('is told the purpose; whoever comes then hears the initial message', () => {
    const call = placed({ ...withMessage, call_purpose: 'Anna from the dentist, about Monday.' });
    talks(call, 0.5, 3, screening).userSpeaks(7, 8, 'Please hold.').userSpeaks(14, 14.5, 'Hello?').runUntil(18);
    expect(answerTypes(call)).toEqual([['call_screening', 2_500]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Anna from the dentist, about Monday.', 4_000],
      [GREETING, 14_900],
    ]);
    expect(call.modelRequests).toEqual([]);
  });

  it('is told the initial message where the agent has no purpose', () => {
    const call = talks(placed(withMessage), 0.5, 3, screening).runUntil(6);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 4_000, toMs: 5_000 }]);
  });

  it('is answered by the model where the agent has neither', () => {
    const call = talks(placed({}), 0.5, 3, screening).runUntil(6);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('is being screened');
    expect(call.heard[0]?.text).toBe('Yes.');
  });

  it('that leads to a voicemail is left the message', () => {
    const call = talks(placed({ ...withMessage, call_purpose: 'Anna.' }), 0.5, 3, screening);
    call.userSpeaks(7, 9, 'Please leave a message after the tone.');
    call.at(10, () => call.emitTone(9.4, 9.8)).runUntil(20);
    expect(answerTypes(call).map(([type]) => type)).toEqual(['call_screening', 'voicemail']);
    expect(call.heard.map(({ text }) => text)).toEqual(['Anna.', 'This is Anna.', 'Please call us back.']);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('behind which nobody ever speaks hears the initial message after a minute', () => {
    const call = talks(placed({ ...withMessage, call_purpose: 'Anna.' }), 0.5, 3, screening).runUntil(80);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Anna.', 4_000],
      [GREETING, 64_000],
    ]);
  });
});

describe('an announcement of the network', () => {
  it('behind its three tones is told to the model, which ends the call', () => {
    const call = placed(withoutMessage, { model: [{ toolCalls: [{ name: 'bye' }] }] });
    call.at(1.4, () => call.emitTone(0.3, 1.2, 'sit'));
    call.userSpeaks(1.8, 4, 'The number is not in service.').runUntil(20);
    expect(answerTypes(call)).toEqual([['unknown', 1_400]]);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('A recorded announcement answered');
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 1_200, toMs: 1_400 }]);
    expect(call.endReason).toBe('agent_hangup');
  });
});
