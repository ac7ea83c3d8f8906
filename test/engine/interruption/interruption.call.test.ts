import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** 50 ms a character: «One two three four five six.» plays 1.4 s. */
const LONG = 'One two three four five six. Seven eight nine ten.';
const agent = { initial_message: LONG };

describe('an interruption', () => {
  it('holds the agent at once, and words cut it to what was heard', () => {
    const call = new Simulation({ agent, model: [{ text: 'Sorry.' }] })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.6, 1, 'Excuse me')
      .at(2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_000 }))
      .at(2.2, (call) => call.emitFinal(1, 2, 'Excuse me please.'))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'Sorry.', fromMs: 2_500, toMs: 2_800 },
    ]);
    // 800 of 1,400 ms: 16 of 28 characters have left.
    expect(call.dialogue).toEqual(['agent: One two three', 'user: Excuse me please.', 'agent: Sorry.']);
    expect(call.transcript[0]).toMatchObject({ interrupted: true, generatedContent: LONG, startUs: 200_000 });
    expect(call.modelRequests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'One two three' },
      { role: 'user', content: 'Excuse me please.' },
    ]);
  });

  it('is undone by silence: the agent goes on at the very sample', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(1.2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_200 }))
      .runUntil(10);
    // The words of it could come for 400 + 100 ms.
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 1_700, toMs: 2_300 },
      { text: 'Seven eight nine ten.', fromMs: 2_300, toMs: 3_350 },
    ]);
    expect(call.dialogue).toEqual([`agent: ${LONG}`]);
    expect(call.modelRequests).toHaveLength(0);
    call.hangUpAt(11).runUntil(12);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ interruptions: 0, falseInterruptions: 1 });
  });

  it('is no interruption where it is a backchannel, and nothing answers it', () => {
    const call = new Simulation({ agent }).userSpeaks(0.8, 1.1, 'Okay.').runUntil(10);
    expect(call.heard.at(-1)).toEqual({ text: 'Seven eight nine ten.', fromMs: 2_100, toMs: 3_150 });
    expect(call.modelRequests).toHaveLength(0);
    expect(call.dialogue).toEqual([`agent: ${LONG}`, 'user: Okay.']);
  });

  it('that is a backchannel answers where it comes at the very end', () => {
    const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .userSpeaks(0.5, 0.7, 'Yes.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes.' });
  });

  it('takes a backchannel too at high sensitivity', () => {
    const call = new Simulation({ agent: { ...agent, interruptions_sensitivity: 'high' } })
      .userSpeaks(0.8, 1.1, 'Okay.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
  });

  it('takes three words at low sensitivity, or one that always stops', () => {
    const low = { ...agent, interruptions_sensitivity: 'low' as const };
    const two = new Simulation({ agent: low }).userSpeaks(0.8, 1.7, 'Blue house').runUntil(10);
    const three = new Simulation({ agent: low }).userSpeaks(0.8, 1.7, 'The blue house').runUntil(10);
    const stop = new Simulation({ agent: low }).userSpeaks(0.8, 1.7, 'Stop').runUntil(10);
    expect(two.heard.at(-2)?.text).toBe('Seven eight nine ten.');
    expect(three.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
    expect(stop.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
    // What did not interrupt is answered afterwards.
    expect(two.modelRequests).toHaveLength(1);
  });

  it('is the agent itself where the words repeat what it is saying', () => {
    const call = new Simulation({ agent }).userSpeaks(0.6, 1.5, 'two three four').runUntil(10);
    expect(call.heard.at(-1)?.text).toBe('Seven eight nine ten.');
    expect(call.modelRequests).toHaveLength(0);
  });

  it('never happens with interruptions off: the user is heard and answered afterwards', () => {
    const call = new Simulation({ agent: { ...agent, interruptions: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs]).slice(0, 2)).toEqual([
      [200, 1_600],
      [1_600, 2_650],
    ]);
    expect(call.heard).toHaveLength(3);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
  });

  it('never cuts a message that is not to be interrupted', () => {
    const call = new Simulation({ agent: { ...agent, initial_message_interruptible: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.dialogue[0]).toBe(`agent: ${LONG}`);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('by a noise that goes on holds the agent for two seconds and no longer', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [200, 1_000],
      [3_000, 3_600],
      [3_600, 4_650],
    ]);
  });
});

it('a sound too short to count that turns out to be a machine leaves the playout going on', () => {
  const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } });
  call.at(0, () => call.emitControlEvent({ type: 'answered' }));
  call.userSpeaks(1.1, 1.2, 'You have reached my voicemail.').runUntil(10);
  expect(call.heard.map(({ text }) => text)).toEqual(['Yes.']);
  expect(call.logs.filter((line) => line.startsWith('error'))).toEqual([]);
});
