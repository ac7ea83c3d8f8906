import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulate.ts';

/** 50 ms a character: «One two three four five six.» plays 1.4 s. */
const LONG = 'One two three four five six. Seven eight nine ten.';
const agent = { initial_message: LONG };

describe('an interruption', () => {
  it('holds the agent at once, and words cut it to what was heard', () => {
    const call = new Simulation({ agent, model: [{ text: 'Sorry.' }] })
      .at(1, (call) => call.media.tell({ type: 'speech_started', audioMs: 1_000 }))
      .interim(1.6, 1, 'Excuse me')
      .at(2, (call) => call.media.tell({ type: 'speech_stopped', audioMs: 2_000 }))
      .at(2.2, (call) => call.final(1, 2, 'Excuse me please.'))
      .run(10);
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'Sorry.', fromMs: 2_500, toMs: 2_800 },
    ]);
    // 800 of 1,400 ms: 16 of 28 characters have left.
    expect(call.lines).toEqual(['agent: One two three', 'user: Excuse me please.', 'agent: Sorry.']);
    expect(call.transcript[0]).toMatchObject({ interrupted: true, generatedContent: LONG, startUs: 200_000 });
    expect(call.requests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'One two three' },
      { role: 'user', content: 'Excuse me please.' },
    ]);
  });

  it('is undone by silence: the agent goes on at the very sample', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.tell({ type: 'speech_started', audioMs: 1_000 }))
      .at(1.2, (call) => call.media.tell({ type: 'speech_stopped', audioMs: 1_200 }))
      .run(10);
    // The words of it could come for 400 + 100 ms.
    expect(call.heard).toEqual([
      { text: 'One two three four five six.', fromMs: 200, toMs: 1_000 },
      { text: 'One two three four five six.', fromMs: 1_700, toMs: 2_300 },
      { text: 'Seven eight nine ten.', fromMs: 2_300, toMs: 3_350 },
    ]);
    expect(call.lines).toEqual([`agent: ${LONG}`]);
    expect(call.requests).toHaveLength(0);
    call.hangUp(11).run(12);
    expect(call.entries('ended')[0]?.metrics).toMatchObject({ interruptions: 0, falseInterruptions: 1 });
  });

  it('is no interruption where it is a backchannel, and nothing answers it', () => {
    const call = new Simulation({ agent }).callerSpeaks(0.8, 1.1, 'Okay.').run(10);
    expect(call.heard.at(-1)).toEqual({ text: 'Seven eight nine ten.', fromMs: 2_100, toMs: 3_150 });
    expect(call.requests).toHaveLength(0);
    expect(call.lines).toEqual([`agent: ${LONG}`, 'user: Okay.']);
  });

  it('that is a backchannel answers where it comes at the very end', () => {
    const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .callerSpeaks(0.5, 0.7, 'Yes.')
      .run(10);
    expect(call.requests).toHaveLength(1);
    expect(call.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes.' });
  });

  it('takes a backchannel too at high sensitivity', () => {
    const call = new Simulation({ agent: { ...agent, interruptions_sensitivity: 'high' } })
      .callerSpeaks(0.8, 1.1, 'Okay.')
      .run(10);
    expect(call.requests).toHaveLength(1);
    expect(call.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
  });

  it('takes three words at low sensitivity, or one that always stops', () => {
    const low = { ...agent, interruptions_sensitivity: 'low' as const };
    const two = new Simulation({ agent: low }).callerSpeaks(0.8, 1.7, 'Blue house').run(10);
    const three = new Simulation({ agent: low }).callerSpeaks(0.8, 1.7, 'The blue house').run(10);
    const stop = new Simulation({ agent: low }).callerSpeaks(0.8, 1.7, 'Stop').run(10);
    expect(two.heard.at(-2)?.text).toBe('Seven eight nine ten.');
    expect(three.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
    expect(stop.heard.map(({ text }) => text)).not.toContain('Seven eight nine ten.');
    // What did not interrupt is answered afterwards.
    expect(two.requests).toHaveLength(1);
  });

  it('is the agent itself where the words repeat what it is saying', () => {
    const call = new Simulation({ agent }).callerSpeaks(0.6, 1.5, 'two three four').run(10);
    expect(call.heard.at(-1)?.text).toBe('Seven eight nine ten.');
    expect(call.requests).toHaveLength(0);
  });

  it('never happens with interruptions off: the user is heard and answered afterwards', () => {
    const call = new Simulation({ agent: { ...agent, interruptions: false } })
      .callerSpeaks(0.8, 1.7, 'Stop that please.')
      .run(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs]).slice(0, 2)).toEqual([
      [200, 1_600],
      [1_600, 2_650],
    ]);
    expect(call.heard).toHaveLength(3);
    expect(call.requests).toHaveLength(1);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
  });

  it('never cuts a message that is not to be interrupted', () => {
    const call = new Simulation({ agent: { ...agent, initial_message_interruptible: false } })
      .callerSpeaks(0.8, 1.7, 'Stop that please.')
      .run(10);
    expect(call.lines[0]).toBe(`agent: ${LONG}`);
    expect(call.requests).toHaveLength(1);
  });

  it('by a noise that goes on holds the agent for two seconds and no longer', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.tell({ type: 'speech_started', audioMs: 1_000 }))
      .run(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [200, 1_000],
      [3_000, 3_600],
      [3_600, 4_650],
    ]);
  });
});

it('a sound too short to count that turns out to be a machine leaves the playout going on', () => {
  const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } });
  call.at(0, () => call.leg({ type: 'answered' }));
  call.callerSpeaks(1.1, 1.2, 'You have reached my voicemail.').run(10);
  expect(call.heard.map(({ text }) => text)).toEqual(['Yes.']);
  expect(call.logs.filter((line) => line.startsWith('error'))).toEqual([]);
});
