import { describe, expect, it } from 'vitest';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';
import { LONG_MESSAGE } from '../timeline/planted-call.ts';

const transferRequests = (call: Simulation) =>
  call.commands.flatMap((command) => (command.type === 'call.transfer' ? [command.request] : []));

const spokenTexts = (call: Simulation) =>
  call.commands.flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

const FATAL = { provider: 'test', code: 'closed', message: '', retryable: false } as const;

describe('a transfer that the API requests', () => {
  const request = { destination: '+4930222222', mode: 'bridge', headers: {}, ringTimeoutMs: 30_000 } as const;
  const ANNOUNCEMENT = 'A colleague takes over.';
  /** The agent's first message lasts beyond the request. */
  const REQUESTED_S = 2;
  const OTHER = {
    request: { ...request, destination: '+4930333333' },
    announcement: 'The office takes over.',
  } as const;
  const talkingCall = (announcement?: string, model: Scenario['model'] = [], voice: Scenario['voice'] = {}) => {
    const call = new Simulation({ agent: { initial_message: LONG_MESSAGE }, model, voice });
    const event = { type: 'call.transfer', request, ...(announcement !== undefined && { announcement }) } as const;
    return call.at(REQUESTED_S, () => call.handle.post(event));
  };

  it('stops the agent, and begins after its announcement', () => {
    const call = talkingCall(ANNOUNCEMENT);
    call.at(8, () => call.emitControlEvent({ type: 'transfer_succeeded' })).runUntil(10);
    expect(transferRequests(call)).toEqual([request]);
    expect(call.transcript).toMatchObject([
      { role: 'agent', interrupted: true },
      { role: 'agent', content: ANNOUNCEMENT, interrupted: false },
    ]);
    expect(call.journalEntries('transfer').map(({ phase }) => phase)).toEqual(['started', 'completed']);
    expect(call.modelRequests).toEqual([]);
    expect(call.journalEntries('tool_called')).toEqual([]);
    expect(call.endReason).toBe('transferred');
  });

  it('begins at once without an announcement', () => {
    const [started] = talkingCall().runUntil(5).journalEntries('transfer');
    expect(started).toMatchObject({ phase: 'started', atUs: REQUESTED_S * 1e6 });
  });

  it('waits while the user speaks, and for the answer', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'It is open until ten.' }] });
    call.userSpeaks(1, 2.5, 'How long is it open?');
    call.at(REQUESTED_S, () => call.handle.post({ type: 'call.transfer', request })).runUntil(20);
    expect(call.heard.map(({ text }) => text)).toEqual(['It is open until ten.']);
    expect(transferRequests(call)).toHaveLength(1);
  });

  it('replaces another that waits, with its announcement, which follows the texts that wait', () => {
    const call = new Simulation({ agent: { initial_message: LONG_MESSAGE, initial_message_interruptible: false } });
    call.at(2, () => call.handle.post({ type: 'call.transfer', request, announcement: ANNOUNCEMENT }));
    call.at(3, () => call.handle.post({ type: 'call.transfer', ...OTHER }));
    call.at(4, () => call.handle.post({ type: 'call.say', text: 'One moment.', interrupt: false })).runUntil(20);
    expect(call.heardTexts).toEqual([LONG_MESSAGE, 'One moment.', OTHER.announcement]);
    expect(transferRequests(call)).toEqual([OTHER.request]);
  });

  it('replaces another whose reply is interrupted', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' }, model: [{ text: 'Gladly.' }] });
    const say = (text: string, interruptible: boolean) =>
      call.handle.post({ type: 'call.say', text, interrupt: false, interruptible });
    call.at(0.3, () => {
      say('This is heard to its end.', false);
      say('This can be interrupted, if you want that.', true);
      call.handle.post({ type: 'call.transfer', request, announcement: ANNOUNCEMENT });
    });
    call.at(2, () => call.handle.post({ type: 'call.transfer', ...OTHER }));
    call.userSpeaks(2.5, 3.5, 'Wait, one moment.').interimAt(2.8, 2.5, 'Wait, one').runUntil(20);
    expect(call.heardTexts.slice(-2)).toEqual(['Gladly.', OTHER.announcement]);
    expect(transferRequests(call)).toEqual([OTHER.request]);
  });

  it('is not prevented by the user, who hears the announcement to its end', () => {
    const call = talkingCall(ANNOUNCEMENT).userSpeaks(3, 4, 'No, wait a moment please.').runUntil(20);
    expect(call.heard.at(-1)?.text).toBe(ANNOUNCEMENT);
    expect(transferRequests(call)).toHaveLength(1);
  });

  const withoutTranscriber = (call: Simulation) =>
    call.at(3, () => call.emitTranscriberEvent({ type: 'failed', error: FATAL }));
  const MUTE = { onlyTexts: [LONG_MESSAGE] };

  it.each([
    ['the last transcriber fails', 'transcriber_error', {}, withoutTranscriber],
    ['the voice fails', 'voice_error', MUTE, (call: Simulation) => call],
    ['both fail', 'transcriber_error', { ...MUTE, after: 1.5 }, withoutTranscriber],
  ] as const)('begins although %s during its announcement', (_case, reason, voice, fail) => {
    const call = fail(talkingCall(ANNOUNCEMENT, [], voice)).runUntil(20);
    expect(transferRequests(call)).toEqual([request]);
    expect(spokenTexts(call)).toEqual([LONG_MESSAGE, ANNOUNCEMENT]);
    call.at(21, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'busy' })).runUntil(40);
    expect(call.journalEntries('transfer').map(({ phase }) => phase)).toEqual(['started', 'failed']);
    expect(call.endReason).toBe(reason);
  });

  describe('is reported as failed if the call ends before it', () => {
    const expectFailed = (call: Simulation) => {
      call.runUntil(30);
      expect(transferRequests(call)).toEqual([]);
      expect(call.journalEntries('transfer')).toMatchObject([{ phase: 'failed', reason: 'the call ended' }]);
    };
    const bye = {
      type: 'hang_up',
      name: 'bye',
      filler_sentence: 'Goodbye, and thank you.',
      interruptible: false,
    } as const;

    it('with a goodbye that is heard to its end', () => {
      const call = new Simulation({
        agent: { states: [{ name: 'start', tools: [bye] }] },
        model: [{ toolCalls: [{ name: 'bye' }] }],
      }).userSpeaks(0.5, 1, 'That is all.');
      call.at(2, () => call.handle.post({ type: 'call.transfer', request }));
      expectFailed(call);
      expect(call.endReason).toBe('agent_hangup');
    });

    it('with the apology for a failure', () => {
      const call = new Simulation({ agent: { initial_message: 'Hello.' } });
      call.at(2, () => call.emitTranscriberEvent({ type: 'failed', error: FATAL }));
      call.at(2.5, () => call.handle.post({ type: 'call.transfer', request }));
      expectFailed(call);
      expect(call.endReason).toBe('transcriber_error');
    });

    it('since the user hangs up during its announcement', () => {
      expectFailed(talkingCall(ANNOUNCEMENT).hangUpAt(2.5));
    });

    it('since a request before it terminates the call', () => {
      const call = new Simulation({ agent: { initial_message: LONG_MESSAGE } });
      call.at(2, () => call.handle.post({ type: 'call.terminate', reason: 'terminated' }));
      call.at(2, () => call.handle.post({ type: 'call.transfer', request }));
      expectFailed(call);
    });
  });

  it('that fails leaves the user with the agent, and the model gets the reason', () => {
    const call = talkingCall(undefined, [{ text: 'Nobody is there.' }]);
    call.at(4, () => call.emitControlEvent({ type: 'transfer_failed', reason: 'the line is busy' })).runUntil(8);
    expect(JSON.stringify(call.modelRequests[0]?.messages[0])).toContain('The transfer failed: the line is busy.');
    expect(call.heard.at(-1)?.text).toBe('Nobody is there.');
    expect(call.endReason).toBeNull();
  });
});
