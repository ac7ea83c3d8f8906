import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { PendingTurn, Reply } from '../../../engine/core/state/playout-slice.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import {
  releaseReply,
  withdrawReply,
  withholdPartlyTranscribed,
  withholdReply,
} from '../../../engine/turn-taking/pending-turn.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { RUNNING_GENERATION } from './running-generation.ts';

const NOW_MS = 5_000;
const NO_EVENT: CallEvent = { type: 'call.offered' };
const TURN_ENDED: CallEvent = {
  type: 'transcriber.turn',
  phase: 'ended',
  text: 'I want a table',
  startMs: 0,
  endMs: 900,
  words: [],
};
interface Situation {
  readonly pending?: Partial<PendingTurn> | null;
  readonly reply?: Partial<Reply>;
  readonly changes?: Partial<CallContext>;
  readonly event?: CallEvent;
}

/** The model is asked about a turn that may still go on. */
function asked({ pending = {}, reply = {}, changes = {}, event = NO_EVENT }: Situation = {}): RuleStep {
  const step = ruleStep({}, NOW_MS, event);
  startReply(step, null);
  const turn: PendingTurn = {
    phase: 'ended',
    text: 'I want a table',
    item: step.nextNumber('item'),
    request: null,
    endedUs: 0,
    wasResponsePending: false,
  };
  changeReply(step, { ...reply, pending: pending === null ? null : { ...turn, ...pending } });
  step.change(changes);
  return step;
}
const typesOf = (step: RuleStep) => issuedCommands(step).map(({ type }) => type);
const completeTurn = { ...ruleStep().context.userTurn, complete: true };

describe('an answer that is withdrawn because the user goes on', () => {
  const withdrawn = (situation: Situation = {}) => {
    const step = asked(situation);
    withdrawReply(step);
    return step;
  };

  it('is forgotten with its text', () => {
    const step = asked();
    const item = addAgentItem(step);
    speakSegment(step, item, 'Yes.');
    withdrawReply(step);
    expect(step.context.reply).toBeNull();
    expect(step.context.history).toEqual([]);
    expect(issuedCommands(step)).toContainEqual({ type: 'voice.cancel', from: 1 });
  });

  it('stops its model, unless that has answered', () => {
    const running = { type: 'model.cancel', generation: RUNNING_GENERATION.number };
    expect(issuedCommands(withdrawn({ reply: { generation: RUNNING_GENERATION } }))).toContainEqual(running);
    expect(typesOf(withdrawn({ reply: { generation: { ...RUNNING_GENERATION, hasEnded: true } } }))).not.toContain(
      'model.cancel',
    );
    expect(typesOf(withdrawn())).not.toContain('model.cancel');
  });

  it('leaves no playback paused', () => {
    expect(typesOf(withdrawn({ pending: { phase: 'withheld' } }))).toContain('playout.resume');
    expect(typesOf(withdrawn())).not.toContain('playout.resume');
  });

  it('counts as an eager miss only if it was asked ahead', () => {
    const misses = (phase: PendingTurn['phase']) => withdrawn({ pending: { phase } }).context.metrics.eagerMisses;
    expect([misses('ahead'), misses('ended'), misses('withheld')]).toEqual([1, 0, 0]);
  });

  it('leaves a response pending that was pending before, or has become so', () => {
    const isPending = (situation: Situation) => withdrawn(situation).context.pendingResponse;
    expect(isPending({})).toBe(false);
    expect(isPending({ pending: { wasResponsePending: true } })).toBe(true);
    expect(isPending({ changes: { pendingResponse: true } })).toBe(true);
  });

  it('opens the turn again, unless the provider has just ended it', () => {
    const isComplete = (situation: Situation) => withdrawn(situation).context.userTurn.complete;
    const changes = { userTurn: completeTurn };
    expect(isComplete({ changes })).toBe(false);
    expect(isComplete({ changes, event: TURN_ENDED })).toBe(true);
    expect(isComplete({ changes, event: { ...TURN_ENDED, phase: 'updated' } })).toBe(false);
    expect(isComplete({ event: TURN_ENDED })).toBe(false);
  });

  it('is none if its turn is committed', () => {
    const step = withdrawn({ pending: null });
    expect(step.context.reply).not.toBeNull();
    expect(step.commands).toEqual([]);
  });
});

describe('an answer that waits for a sound of the user', () => {
  it('pauses its playback, and needs another end of the turn', () => {
    const step = asked({ changes: { userTurn: completeTurn } });
    withholdReply(step);
    expect(step.context.reply?.pending?.phase).toBe('withheld');
    expect(step.context.userTurn.complete).toBe(false);
    expect(typesOf(step)).toContain('playout.pause');
    expect(step.commands).toContainEqual({ type: 'timer.stop', timer: 'playout' });
  });

  it('is none if its turn is committed', () => {
    const step = asked({ pending: null, changes: { userTurn: completeTurn } });
    withholdReply(step);
    expect(step.commands).toEqual([]);
    expect(step.context.userTurn.complete).toBe(true);
  });
});

describe('an answer to words that a lost transcriber has partly transcribed', () => {
  const { failover } = ruleStep().context;
  const lost = {
    ...failover,
    transcriber: { ...failover.transcriber, gap: { lostMs: 900, phase: 'opening' as const } },
  };
  const speaking = { ...ruleStep().context.userTurn, speaking: true };
  const phaseAfter = ({ pending = {}, changes }: Situation) => {
    const step = asked({ pending, changes: { failover: lost, userTurn: speaking, ...changes } });
    withholdPartlyTranscribed(step);
    return step.context.reply?.pending?.phase;
  };

  it('waits until they are known', () => {
    expect(phaseAfter({})).toBe('withheld');
  });

  it('does not wait if they are all known, or no transcriber is left', () => {
    expect(phaseAfter({ changes: { failover } })).toBe('ended');
    const failedTurns = { reason: 'transcriber_error' as const, count: 1, reply: 1, atUs: 0 };
    expect(phaseAfter({ changes: { failover: { ...lost, failedTurns } } })).toBe('ended');
  });

  it('does not wait again, and a committed turn stays', () => {
    expect(phaseAfter({ pending: { phase: 'ahead' } })).toBe('ahead');
    expect(phaseAfter({ pending: null })).toBeUndefined();
  });
});

describe('an answer that may be heard since the end of the turn is certain', () => {
  const released = (situation: Situation = {}) => {
    const step = asked(situation);
    releaseReply(step);
    return step;
  };

  it('has the time of that end', () => {
    const { reply } = released({ pending: { phase: 'ahead', endedUs: null } }).context;
    expect(reply?.pending).toMatchObject({ phase: 'ended', endedUs: NOW_MS * 1000 });
  });

  it('counts as an eager hit only if it was asked ahead', () => {
    const hits = (phase: PendingTurn['phase']) => released({ pending: { phase } }).context.metrics.eagerHits;
    expect([hits('ahead'), hits('withheld')]).toEqual([1, 0]);
  });

  it('resumes the playback that the sound has paused', () => {
    expect(typesOf(released({ pending: { phase: 'withheld' } }))).toContain('playout.resume');
    expect(typesOf(released({ pending: { phase: 'ahead' } }))).not.toContain('playout.resume');
  });

  it('is asked for again if more than the words has changed since it was asked ahead', () => {
    const request = { provider: 'test', model: 'model', messages: [], functions: [] };
    const step = released({ pending: { phase: 'ahead', request } });
    expect(step.context.reply).toMatchObject({ number: 2, pending: { phase: 'ended' }, requestPending: true });
    expect(step.context.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });
});
