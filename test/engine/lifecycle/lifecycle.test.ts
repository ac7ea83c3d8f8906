import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import {
  canCloseCall,
  closeCall,
  hangUpLeg,
  keepMediaFailure,
  onAccepted,
  onAnswered,
  onBridged,
  onBridgedEnd,
  onContext,
  prepareCall,
  setEndReason,
  startEnding,
  stopConversation,
} from '../../../engine/lifecycle/lifecycle.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

describe('end reason', () => {
  it.each<[CallEvent, number | null, string | null]>([
    [{ type: 'call.terminate', reason: 'terminated' }, null, 'canceled'],
    [{ type: 'call.terminate', reason: 'terminated' }, 0, 'terminated'],
    [{ type: 'call.terminate', reason: 'canceled' }, null, 'canceled'],
    [{ type: 'call.terminate', reason: 'shutdown' }, null, 'shutdown'],
    [{ type: 'call.terminate', reason: 'shutdown' }, 0, 'shutdown'],
    [{ type: 'call.terminate', reason: 'node_lost' }, 0, 'node_lost'],
    [{ type: 'control.ended', cause: 'remote_bye' }, 0, 'caller_hangup'],
    [{ type: 'control.ended', cause: 'local_bye' }, 0, 'sip_error'],
    [{ type: 'control.ended', cause: 'remote_cancel' }, null, 'canceled'],
    [{ type: 'control.ended', cause: 'busy' }, null, 'busy'],
    [{ type: 'control.ended', cause: 'no_answer' }, null, 'no_answer'],
    [{ type: 'control.ended', cause: 'rejected' }, null, 'rejected'],
    [{ type: 'control.ended', cause: 'redirected' }, null, 'redirected'],
    [{ type: 'control.ended', cause: 'canceled' }, null, 'canceled'],
    [{ type: 'control.ended', cause: 'sip_error' }, 0, 'sip_error'],
    [{ type: 'media.timeout' }, 0, 'no_media'],
    [{ type: 'media.failed', message: 'no' }, 0, 'media_error'],
    [{ type: 'timer', timer: 'max_duration' }, 0, 'max_duration'],
    [{ type: 'timer', timer: 'answer' }, null, 'sip_error'],
    [{ type: 'control.ringing' }, 0, null],
  ])('after %j, with an answer at %j, names %s', (event, answeredUs, reason) => {
    const step = ruleStep({ answeredUs }, 7, event);
    setEndReason(step);
    expect(step.context.endReason).toBe(reason);
    expect(step.context.legEndedUs).toBe(event.type === 'control.ended' ? 7_000 : null);
  });

  it('has the fault of the media as its detail, and keeps that of an earlier failure', () => {
    const lost = ruleStep({}, 7, { type: 'media.failed', message: 'a closed socket' });
    keepMediaFailure(lost);
    expect(lost.context.failure).toEqual({ reason: 'media_error', detail: 'a closed socket' });
    const failure = { reason: 'llm_error', detail: 'HTTP 500' } as const;
    const later = ruleStep({ failure, endReason: 'llm_error' }, 7, {
      type: 'media.failed',
      message: 'a closed socket',
    });
    setEndReason(later);
    keepMediaFailure(later);
    expect(later.context).toMatchObject({ failure, endReason: 'llm_error' });
  });

  it('is a termination, no cancellation, after the 2xx to a source that may be forged', () => {
    const step = ruleStep({ answeredUs: null }, 7, { type: 'control.accepted' });
    onAccepted(step);
    expect(issuedCommands(step)).toEqual([]);
    const terminated = ruleStep(step.context, 8, { type: 'call.terminate', reason: 'terminated' });
    setEndReason(terminated);
    expect(terminated.context.endReason).toBe('terminated');
  });

  it('names the cause that was decided first', () => {
    const step = ruleStep({ endReason: 'silence' }, 7, { type: 'control.ended', cause: 'remote_bye' });
    setEndReason(step);
    expect(step.context).toMatchObject({ endReason: 'silence', legEndedUs: 7_000 });
  });

  it('names the transfer for a bridged call, unless another cause was decided before', () => {
    const step = ruleStep({}, 7, { type: 'control.ended', cause: 'remote_bye' });
    onBridgedEnd(step);
    expect(step.context).toMatchObject({ endReason: 'transferred', legEndedUs: 7_000 });
    const before = ruleStep({ endReason: 'max_duration' }, 7, { type: 'control.ended', cause: 'remote_bye' });
    onBridgedEnd(before);
    expect(before.context.endReason).toBe('max_duration');
  });
});

describe('transcriber and voice', () => {
  const PROVIDERS = ['transcriber.open', 'voice.open'];
  const opened = (step: RuleStep) => issuedCommands(step).flatMap(({ type }) => (PROVIDERS.includes(type) ? type : []));
  const untrusted = { parameters: { ...CALL_PARAMETERS, isSourceUntrusted: true }, answeredUs: null } as const;

  it('are opened before the answer', () => {
    const step = ruleStep({ answeredUs: null });
    prepareCall(step);
    expect(opened(step)).toEqual(PROVIDERS);
    const answered = ruleStep(step.context, 7, { type: 'control.answered' });
    onAnswered(answered);
    expect(opened(answered)).toEqual([]);
  });

  it('are opened with the answer of a call from an untrusted source, and not with its 200', () => {
    const step = ruleStep(untrusted);
    prepareCall(step);
    expect(issuedCommands(step).map(({ type }) => type)).toContain('call.answer');
    onAccepted(step);
    expect(opened(step)).toEqual([]);
    const answered = ruleStep(step.context, 7, { type: 'control.answered' });
    onAnswered(answered);
    expect(opened(answered)).toEqual(PROVIDERS);
  });
});

describe('ending a call', () => {
  it('stops its timers and ends the conversation', () => {
    const step = ruleStep();
    startEnding(step);
    expect(issuedCommands(step)).toEqual([
      { type: 'timer.stop', timer: 'answer' },
      { type: 'timer.stop', timer: 'max_duration' },
    ]);
    expect(step.raised).toEqual([{ type: 'engine.conversation_over' }]);
  });

  it('stops what would still answer, transfer or reconnect', () => {
    const step = ruleStep();
    stopConversation(step);
    const stopped = issuedCommands(step).flatMap((command) => (command.type === 'timer.stop' ? [command.timer] : []));
    expect(stopped).toEqual(
      expect.arrayContaining(['endpoint', 'initial_message', 'dtmf_entry', 'transfer', 'transcriber']),
    );
  });

  it('hangs up a leg that has not ended, and waits three seconds at most', () => {
    const startEndTimer = { type: 'timer.start', timer: 'call_end', delayMs: 3_000 };
    const withLeg = ruleStep();
    hangUpLeg(withLeg);
    expect(issuedCommands(withLeg)).toEqual([{ type: 'call.hang_up' }, startEndTimer]);
    const afterLeg = ruleStep({ legEndedUs: 0 });
    hangUpLeg(afterLeg);
    expect(issuedCommands(afterLeg)).toEqual([startEndTimer]);
  });

  it('waits for the end of the leg and of a running extraction', () => {
    const { context } = ruleStep();
    const running = { ...context.extraction, running: 1 };
    expect(canCloseCall(context)).toBe(false);
    expect(canCloseCall({ ...context, legEndedUs: 0 })).toBe(true);
    expect(canCloseCall({ ...context, legEndedUs: 0, extraction: running })).toBe(false);
    expect(canCloseCall({ ...context, extraction: running })).toBe(false);
  });

  it.each([
    [null, null, 'internal_error', 9_000],
    ['silence', 4_000, 'silence', 4_000],
  ] as const)('reports reason %j and a leg that ended at %j as %s at %s µs', (endReason, endedUs, reason, atUs) => {
    const step = ruleStep({ endReason, legEndedUs: endedUs }, 9);
    closeCall(step);
    expect(issuedCommands(step)).toMatchObject([
      { type: 'journal.write', entry: { type: 'ended', reason, atUs } },
      { type: 'call.close' },
    ]);
  });
});

it('a bridged call closes transcriber and voice, and is bounded to four hours', () => {
  const step = ruleStep();
  onBridged(step);
  expect(issuedCommands(step)).toEqual([
    { type: 'transcriber.close' },
    { type: 'voice.close' },
    { type: 'timer.start', timer: 'max_duration', delayMs: 4 * 3_600_000 },
  ]);
  expect(step.raised).toEqual([{ type: 'engine.conversation_over' }]);
});

it('the newest fifty notes of the API are kept', () => {
  const step = ruleStep({ notes: Array.from({ length: 50 }, (_, index) => `${index}`) }, 0, {
    type: 'call.context',
    content: 'new',
  });
  onContext(step);
  expect(step.context.notes).toHaveLength(50);
  expect([step.context.notes[0], step.context.notes.at(-1)]).toEqual(['1', 'new']);
});
