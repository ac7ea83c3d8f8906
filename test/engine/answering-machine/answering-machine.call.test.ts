import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { type Scenario, Simulation } from '../simulation/simulate.ts';

const MESSAGE = 'This is Anna. Please call us back.';
const GREETING = 'Hello, this is Anna.';
const VOICEMAIL_TOOL = { type: 'leave_voicemail_message', name: 'leave_message', filler_sentence: MESSAGE } as const;
const HANG_UP = { type: 'hang_up', name: 'bye' } as const;

/** A call that we placed; it is answered at 0. */
function placed(agent: Scenario['agent'], scenario: Partial<Scenario> = {}): Simulation {
  const call = new Simulation({ agent, parameters: { direction: 'outbound' }, ...scenario });
  return call.at(0, () => call.leg({ type: 'answered' }));
}

/** With the words as they become known: an interim each second, and the final. */
function talks(call: Simulation, from: number, to: number, text: string): Simulation {
  for (let at = from + 1; at < to; at++) {
    const heard = text.slice(0, Math.round((text.length * (at - from - 0.3)) / (to - from)));
    call.interim(at, from, heard.slice(0, Math.max(0, heard.lastIndexOf(' '))));
  }
  return call.callerSpeaks(from, to, text);
}

function answerTypes(call: Simulation) {
  return call.entries('answer_type').map(({ answerType, atUs }) => [answerType, atUs / 1000]);
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
    const ours = placed(agent).callerSpeaks(0.4, to, said).run(10);
    const theirs = new Simulation({ agent }).callerSpeaks(0.4, to, said).run(10);
    expect(ours.heard[0]).toMatchObject({ text: GREETING });
    expect(ours.heard[0]?.fromMs).toBe(theirs.heard[0]?.fromMs);
    expect(ours.requests).toEqual([]);
  });

  it('is told as one when the greeting has ended, and no more', () => {
    const call = placed({ initial_message: GREETING }).callerSpeaks(0.4, 0.9, 'Hello?').run(10);
    expect(answerTypes(call)).toEqual([['human', 1_100]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([[GREETING, 1_300]]);
  });

  it('and says nothing hears the initial message after a second', () => {
    const call = placed({ initial_message: GREETING }).run(10);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 1_200, toMs: 2_200 }]);
    expect(answerTypes(call)).toEqual([['unknown', 4_000]]);
  });

  it('and says nothing hears it after its own delay, where that is longer', () => {
    const call = placed({ initial_message: GREETING, initial_message_delay: 3 }).run(10);
    expect(call.heard[0]?.fromMs).toBe(3_200);
  });

  it('and stands in noise hears it two seconds after that has begun', () => {
    const call = placed({ initial_message: GREETING });
    call.at(0.2, () => call.media.tell({ type: 'speech_started', audioMs: 200 })).run(10);
    expect(call.heard[0]?.fromMs).toBe(2_400);
  });

  it('and rustles at first hears it once that has ended', () => {
    const call = placed({ initial_message: GREETING });
    call.at(0.6, () => call.media.tell({ type: 'speech_started', audioMs: 600 }));
    call.at(1.1, () => call.media.tell({ type: 'speech_stopped', audioMs: 1_100 }));
    call.run(10);
    expect(call.heard[0]?.fromMs).toBe(2_000);
  });

  it('is known by answering what the agent has said', () => {
    const call = placed({ initial_message: GREETING }).callerSpeaks(5, 8, 'Oh hello Anna, how nice of you to call me.');
    call.run(12);
    expect(answerTypes(call)).toEqual([
      ['unknown', 4_000],
      ['human', 8_200],
    ]);
  });

  it('is not taken for a machine by words that people say too, nor by a beep in the middle of the talk', () => {
    const call = placed({ ...withMessage, initial_message: '' });
    call.callerSpeaks(0.4, 0.9, 'Hello?').callerSpeaks(3, 4.5, 'I only got your voicemail.').callerSpeaks(7, 8, 'Yes?');
    call.at(10, () => call.beep(9.5, 9.8)).run(14);
    expect(answerTypes(call)).toEqual([['human', 1_100]]);
    expect(call.heard.map(({ text }) => text)).not.toContain('This is Anna.');
    expect(call.requests).toHaveLength(3);
  });

  it('who hangs up before anything is known ends the call, and no type is told', () => {
    const call = placed({ initial_message: GREETING }).hangUp(0.5).run(20);
    expect(call.endedWith).toBe('caller_hangup');
    expect(answerTypes(call)).toEqual([]);
    expect(call.clock.pending).toBe(0);
  });

  it('who calls us is not judged, and no tone is listened for', () => {
    const call = new Simulation({ agent: withMessage }).callerSpeaks(0.4, 3, 'Leave a message after the tone.');
    call.at(4, () => call.beep(3.3, 3.8)).run(8);
    expect(answerTypes(call)).toEqual([]);
    expect(call.commands.filter(({ type }) => type === 'tones.listen')).toEqual([]);
    expect(call.heard.map(({ text }) => text)).not.toContain('This is Anna.');
  });
});

describe('a voicemail', () => {
  const reached = "You've reached Bob Smith. Please leave a message after the tone.";

  it('is left the message after its beep, and the call ends once it was said', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.beep(4.7, 5.2)).run(20);
    expect(answerTypes(call)).toEqual([['voicemail', 3_500]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 5_600],
      ['Please call us back.', 6_250],
    ]);
    expect(call.endedWith).toBe('voicemail_left');
    expect(call.lines).toEqual([`user: ${reached}`, `agent: ${MESSAGE}`]);
    expect(call.requests).toEqual([]);
    expect(call.media.listensForTones).toBe(false);
  });

  it.each([
    ['says it once it is told to', [{}, { text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['says it at once', [{ text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['never says it', [{}, {}, {}], 'llm_error', 'something went wrong'],
  ])('is never left an empty message: a model whose tool has none %s', (_what, texts, ended, left) => {
    const tool = { type: 'leave_voicemail_message', name: 'leave_message' } as const;
    const agent = { initial_message: GREETING, states: [{ name: 'start', tools: [tool] }] };
    const model = texts.map((text) => ({ ...text, calls: [{ name: 'leave_message' }] }));
    const call = talks(placed(agent, { model }), 0.5, 4, reached).run(40);
    expect(call.endedWith).toBe(ended);
    expect(call.lines[1]).toContain(left);
  });

  it('without a beep is left the message once its greeting has been over for 1.8 s', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).run(20);
    expect(call.heard[0]).toMatchObject({ text: 'This is Anna.', fromMs: 6_000 });
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('that goes on talking after a pause is listened to until its end', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).callerSpeaks(5, 9, 'To send it press hash.');
    call.run(20);
    expect(call.heard[0]?.fromMs).toBe(11_000);
  });

  it('whose beep comes late is told the message again from its beginning', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(7, () => call.beep(6.3, 6.8)).run(20);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 6_000],
      ['Please call us back.', 6_650],
      ['This is Anna.', 7_200],
      ['Please call us back.', 7_850],
    ]);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('that plays sounds into the message does not cut it', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.beep(4.7, 5.2));
    call.callerSpeaks(6, 7, 'Stop. Press one for more options.').run(20);
    expect(call.heard.map(({ text }) => text)).toEqual(['This is Anna.', 'Please call us back.']);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('that was taken for a person is noticed by its beep: what is being said is cut, and the message left', () => {
    const call = placed(withMessage).callerSpeaks(0.5, 2, 'This is the Miller family.');
    call.at(2.8, () => call.beep(2.3, 2.6)).run(20);
    expect(answerTypes(call)).toEqual([
      ['human', 2_200],
      ['voicemail', 2_800],
    ]);
    expect(call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs])).toEqual([
      [GREETING, 2_400, 2_800],
      ['This is Anna.', 3_000, 3_650],
      ['Please call us back.', 3_650, 4_650],
    ]);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('that begins to talk while the initial message is said is not talked over', () => {
    const call = placed(withMessage);
    call.at(1.5, () => call.media.tell({ type: 'speech_started', audioMs: 1_500 }));
    call.interim(3, 1.5, 'Please leave a message after the tone').callerSpeaks(1.5, 4.5, reached).run(20);
    expect(call.heard[0]).toEqual({ text: GREETING, fromMs: 1_200, toMs: 1_500 });
    expect(call.heard[1]).toMatchObject({ text: 'This is Anna.', fromMs: 6_500 });
  });

  it('that pauses as a person would is talked over until it goes on, and no longer', () => {
    const call = placed(withMessage).callerSpeaks(0.5, 1.9, 'This is Bob Smith.');
    call.callerSpeaks(2.5, 5, 'Please leave a message after the tone.').run(20);
    expect(answerTypes(call)).toEqual([
      ['human', 2_100],
      ['voicemail', 5_200],
    ]);
    expect(call.heard.map(({ text, fromMs, toMs }) => [text, fromMs, toMs]).slice(0, 2)).toEqual([
      [GREETING, 2_300, 2_500],
      // A sound without words holds the agent for two seconds, as it does for a user of ours.
      [GREETING, 4_500, 5_200],
    ]);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('that only beeps is left the message', () => {
    const call = placed(withMessage);
    call.at(0.9, () => call.beep(0.3, 0.7)).run(20);
    expect(answerTypes(call)).toEqual([['voicemail', 900]]);
    expect(call.heard[0]).toMatchObject({ text: 'This is Anna.', fromMs: 1_100 });
  });

  it('that never falls silent is left the message after a minute', () => {
    const call = placed(withMessage);
    call.at(0.5, () => call.media.tell({ type: 'speech_started', audioMs: 500 }));
    call.interim(2, 0.5, reached).run(80);
    expect(call.heard[0]?.fromMs).toBe(62_200);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('in another language than the agent lists is known by its English words, and by its beep', () => {
    const call = talks(placed({ ...withMessage, language: 'ja' }), 0.5, 3, 'Hello, leave a message after the tone.');
    expect(answerTypes(call.run(20))[0]?.[0]).toBe('voicemail');
  });

  it('has its message filled in with the variables', () => {
    const tool = { ...VOICEMAIL_TOOL, filler_sentence: 'Hello {{name}}.' };
    const agent = { states: [{ name: 'start', tools: [tool] }] };
    const call = placed(agent, { parameters: { direction: 'outbound', dynamicVariables: { name: '{{bob}}' } } });
    talks(call, 0.5, 4, reached).run(20);
    expect(call.heard.map(({ text }) => text)).toEqual(['Hello {{bob}}.']);
  });

  it('that hangs up during its greeting ends the call as hung up, and no message was left', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).hangUp(4.5).run(20);
    expect(call.endedWith).toBe('caller_hangup');
    expect(call.heard).toEqual([]);
    expect(call.lines).toEqual([`user: ${reached}`]);
  });

  it('that hangs up during the message ends the call as hung up', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached).hangUp(6.2).run(20);
    expect(call.endedWith).toBe('caller_hangup');
  });

  it('whose message no voice can say was not left one', () => {
    const call = talks(placed(withMessage, { voice: { fails: 'always' } }), 0.5, 4, reached).run(20);
    expect(call.endedWith).toBe('voice_error');
  });

  it('for which the agent has no message is the model’s to decide, once it has come to its end', () => {
    const call = talks(placed(withoutMessage, { model: [{ calls: [{ name: 'bye' }] }] }), 0.5, 4, reached).run(20);
    expect(call.requests).toHaveLength(1);
    expect(call.requests[0]?.messages[0]?.content).toContain('A voicemail answered');
    expect(call.requests[0]?.messages[1]).toEqual({ role: 'user', content: reached });
    expect(call.heard).toEqual([]);
    expect(call.endedWith).toBe('agent_hangup');
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(asked?.atUs).toBe(5_800_000);
  });

  it('that only the model has recognised is left the message in the same way', () => {
    const call = placed(withMessage, { model: [{ text: 'Hm.', calls: [{ name: 'leave_message' }] }] });
    call.callerSpeaks(0.5, 1, 'Hello?').callerSpeaks(4, 5, 'Talk now, I am out.');
    call.at(6, () => call.beep(5.5, 5.8)).run(20);
    expect(answerTypes(call)).toEqual([
      ['human', 1_200],
      ['voicemail', 5_300],
    ]);
    expect(call.heard.slice(1).map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['This is Anna.', 6_200],
      ['Please call us back.', 6_850],
    ]);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('replays exactly', () => {
    const call = talks(placed(withMessage), 0.5, 4, reached);
    call.at(5.4, () => call.beep(4.7, 5.2)).run(20);
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
    model: [{ ...(text === undefined ? {} : { text }), calls: [{ name: 'keys', arguments: { digits } }] }],
  });

  it('is heard to its end, told to the model, and answered with keys', () => {
    const call = talks(placed(agent, pressing('2')), 0.5, 4, menu).run(7);
    expect(answerTypes(call)).toEqual([['ivr', 2_500]]);
    expect(call.requests[0]?.messages[0]?.content).toContain('An automated menu answered');
    expect(call.media.dtmf).toEqual(['2']);
    const asked = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(asked?.atUs).toBe(5_200_000);
  });

  it('gets its keys after what is being said, and the model their result once they have sounded', () => {
    const call = talks(placed(agent, pressing('1w2', 'One moment.')), 0.5, 4, menu).run(10);
    const pressed = call.tape.find(({ commands }) => commands.some(({ type }) => type === 'playout.dtmf'));
    // «One moment.» leaves the wire from 5.5 to 6.05 s; two keys and half a second between them take 0.9 s.
    expect(call.heard[0]).toEqual({ text: 'One moment.', fromMs: 5_500, toMs: 6_050 });
    expect(pressed?.atUs).toBe(6_050_000);
    expect(call.entries('tool_called').map(({ successful, atUs }) => [successful, atUs])).toEqual([[true, 6_950_000]]);
    expect(call.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Sent.' });
    expect(call.transcript.find(({ role }) => role === 'tool_call')).toMatchObject({ arguments: { digits: '1w2' } });
  });

  it.each(['', 'ring the bell', '12;3', '1'.repeat(33)])('is not sent «%s»', (digits) => {
    const call = talks(placed(agent, pressing(digits)), 0.5, 4, menu).run(10);
    expect(call.media.dtmf).toEqual([]);
    expect(call.entries('tool_called')[0]?.successful).toBe(false);
  });

  it('that talks on while the model thinks does not cut its answer off', () => {
    const call = placed(agent, { model: [{ after: 2, calls: [{ name: 'keys', arguments: { digits: '1' } }] }] });
    talks(call, 0.5, 4, menu).callerSpeaks(5.6, 9, menu).run(12);
    expect(call.media.dtmf).toEqual(['1']);
  });

  it('is waited for in its next part too, and a person behind it is not', () => {
    const call = talks(placed(agent, pressing('2')), 0.5, 4, menu);
    call.callerSpeaks(8, 10, 'To hear this again, press one.').callerSpeaks(15, 16, 'Support, Bob speaking.').run(20);
    const requests = call.tape.filter(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    expect(requests.map(({ atUs }) => atUs / 1000)).toEqual([5_200, 5_500, 11_200, 16_200]);
  });
});

describe('a call screening', () => {
  const screening = 'Please say your name and why you are calling.';

  it('is told the purpose; whoever comes then hears the initial message', () => {
    const call = placed({ ...withMessage, call_purpose: 'Anna from the dentist, about Monday.' });
    talks(call, 0.5, 3, screening).callerSpeaks(7, 8, 'Please hold.').callerSpeaks(14, 14.5, 'Hello?').run(18);
    expect(answerTypes(call)).toEqual([['call_screening', 2_500]]);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Anna from the dentist, about Monday.', 4_000],
      [GREETING, 14_900],
    ]);
    expect(call.requests).toEqual([]);
  });

  it('is told the initial message where the agent has no purpose', () => {
    const call = talks(placed(withMessage), 0.5, 3, screening).run(6);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 4_000, toMs: 5_000 }]);
  });

  it('is answered by the model where the agent has neither', () => {
    const call = talks(placed({}), 0.5, 3, screening).run(6);
    expect(call.requests[0]?.messages[0]?.content).toContain('is being screened');
    expect(call.heard[0]?.text).toBe('Yes.');
  });

  it('that leads to a voicemail is left the message', () => {
    const call = talks(placed({ ...withMessage, call_purpose: 'Anna.' }), 0.5, 3, screening);
    call
      .callerSpeaks(7, 9, 'Please leave a message after the tone.')
      .at(10, () => call.beep(9.4, 9.8))
      .run(20);
    expect(answerTypes(call).map(([type]) => type)).toEqual(['call_screening', 'voicemail']);
    expect(call.heard.map(({ text }) => text)).toEqual(['Anna.', 'This is Anna.', 'Please call us back.']);
    expect(call.endedWith).toBe('voicemail_left');
  });

  it('behind which nobody ever speaks hears the initial message after a minute', () => {
    const call = talks(placed({ ...withMessage, call_purpose: 'Anna.' }), 0.5, 3, screening).run(80);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Anna.', 4_000],
      [GREETING, 64_000],
    ]);
  });
});

describe('an announcement of the network', () => {
  it('behind its three tones is told to the model, which ends the call', () => {
    const call = placed(withoutMessage, { model: [{ calls: [{ name: 'bye' }] }] });
    call
      .at(1.4, () => call.beep(0.3, 1.2, 'sit'))
      .callerSpeaks(1.8, 4, 'The number is not in service.')
      .run(20);
    expect(answerTypes(call)).toEqual([['unknown', 1_400]]);
    expect(call.requests[0]?.messages[0]?.content).toContain('A recorded announcement answered');
    expect(call.requests).toHaveLength(1);
    expect(call.heard).toEqual([{ text: GREETING, fromMs: 1_200, toMs: 1_400 }]);
    expect(call.endedWith).toBe('agent_hangup');
  });
});
