import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { sendEvents } from '../../../../src/api/calls/event-stream.ts';

const EVENTS = 30;

/** Takes no write at once: each waits for `drain`. */
class SlowResponse extends ServerResponse {
  /** Number of listeners at each write. */
  readonly listenersAtWrite: number[] = [];

  override write(): boolean {
    this.listenersAtWrite.push(this.listenerCount('close') + this.listenerCount('error') + this.listenerCount('drain'));
    setImmediate(() => this.emit('drain'));
    return false;
  }
}

function event(sequence: number) {
  const ids = { id: `event-${sequence}`, organizationId: 'organization', agentId: 'agent', callId: 'call' };
  return { ...ids, sequence, type: 'event_call_started', data: {}, createdMs: 0 } as const;
}

it('a client that reads slowly adds no listener with each event', async () => {
  const response = new SlowResponse(new IncomingMessage(new Socket()));
  const source = {
    after: async (sequence: number) => (sequence < EVENTS ? [event(sequence + 1)] : []),
    isOver: async () => true,
    isAllowed: async () => true,
    onStored: () => () => {},
    clock: { after: () => () => {} },
  };
  await sendEvents(response, source, 0);
  expect(response.listenersAtWrite).toHaveLength(EVENTS);
  expect(new Set(response.listenersAtWrite).size).toBe(1);
});
