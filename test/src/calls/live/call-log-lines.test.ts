import { describe, expect, it } from 'vitest';
import { logCallEnd, logCallStart, logTransfer } from '../../../../src/calls/live/call-log-lines.ts';
import type { Log } from '../../../../src/log/log.ts';

function recorder() {
  const lines: unknown[] = [];
  const log: Pick<Log, 'info' | 'warn'> = {
    info: (fields, event) => void lines.push({ level: 'info', event, ...fields }),
    warn: (fields, event) => void lines.push({ level: 'warn', event, ...fields }),
  };
  return { lines, log };
}

describe('the log of a call', () => {
  it('contains direction, numbers, agent, leg and trunk at the start', () => {
    const { lines, log } = recorder();
    const call = {
      direction: 'outbound',
      type: 'phone_call',
      fromNumber: '+4930123456',
      toNumber: '+33612345612',
      agentId: 'agent',
    } as const;
    logCallStart(log, call, { leg: 'callee', trunk_id: 'trunk' });
    expect(lines).toEqual([
      {
        level: 'info',
        event: 'call started',
        direction: 'outbound',
        type: 'phone_call',
        leg: 'callee',
        from: '+4930123456',
        to: '+33612345612',
        agent_id: 'agent',
        trunk_id: 'trunk',
      },
    ]);
  });

  it('contains reason, detail, duration since the answer, turns and cost at the end', () => {
    const { lines, log } = recorder();
    const summary = { reason: 'sip_error', detail: 'SIP 503', endedMs: 90_000, totals: { turns: 3, cost: 0.25 } };
    logCallEnd(log, { ...summary, answeredMs: 30_000 });
    expect(lines).toEqual([
      {
        level: 'info',
        event: 'call ended',
        reason: 'sip_error',
        detail: 'SIP 503',
        duration_seconds: 60,
        turns: 3,
        cost: 0.25,
      },
    ]);
  });

  it('contains a duration of 0 for a call that was not answered', () => {
    const { lines, log } = recorder();
    logCallEnd(log, { reason: 'busy', answeredMs: null, endedMs: 90_000, totals: { turns: 0, cost: 0 } });
    expect(lines).toEqual([
      { level: 'info', event: 'call ended', reason: 'busy', duration_seconds: 0, turns: 0, cost: 0 },
    ]);
  });

  it('is a warning without turns and cost at the end of a call whose node was lost', () => {
    const { lines, log } = recorder();
    const lost = { reason: 'node_lost', answeredMs: 30_000, endedMs: 90_000, totals: null, lostNodeId: 'dead' };
    logCallEnd(log, lost);
    expect(lines).toEqual([
      { level: 'warn', event: 'call ended', reason: 'node_lost', duration_seconds: 60, lost_node_id: 'dead' },
    ]);
  });

  it('contains each phase of a transfer, and no other journal entry', () => {
    const { lines, log } = recorder();
    const transfer = { type: 'transfer', destination: '+33612345612', mode: 'refer', atUs: 0 } as const;
    logTransfer(log, { ...transfer, phase: 'started' });
    logTransfer(log, { ...transfer, phase: 'completed' });
    logTransfer(log, { ...transfer, phase: 'failed', reason: 'busy' });
    logTransfer(log, { type: 'state', from: null, to: 'start', atUs: 0 });
    const fields = { destination: '+33612345612', mode: 'refer' };
    expect(lines).toEqual([
      { level: 'info', event: 'transfer started', ...fields },
      { level: 'info', event: 'transfer completed', ...fields },
      { level: 'warn', event: 'transfer failed', ...fields, reason: 'busy' },
    ]);
  });
});
