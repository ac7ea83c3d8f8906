import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { type EventSource, sendEvents } from '../../../../src/api/calls/event-stream.ts';
import type { CallEventRecord } from '../../../../src/storage/events/call-event-repository.ts';

const EVENTS = 30;
const KEEP_ALIVE_MS = 15_000;
const STEP_MS = 100;

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

/** Takes each write at once, and keeps it. */
class FastResponse extends ServerResponse {
  readonly written: string[] = [];

  override write(text: string): boolean {
    this.written.push(text);
    return true;
  }
}

/** A stream over a simulated clock. The caller stores its events. */
function stream() {
  const clock = new SimulatedClock();
  const response = new FastResponse(new IncomingMessage(new Socket()));
  const stored: CallEventRecord[] = [];
  const reads = { after: 0, isOver: 0 };
  const wakeUp = { wake: () => {} };
  const source: EventSource = {
    after: async (sequence, limit) => {
      reads.after++;
      return stored.filter((one) => one.sequence > sequence).slice(0, limit);
    },
    isOver: async () => {
      reads.isOver++;
      return false;
    },
    isAllowed: async () => true,
    onStored: (listener) => {
      wakeUp.wake = listener;
      return () => {};
    },
    clock,
  };
  const done = sendEvents(response, source, 0);
  onTestFinished(async () => {
    response.destroy();
    response.emit('close');
    clock.advance(STEP_MS);
    await done;
    expect(clock.pending).toBe(0);
  });
  /** Lets the time pass in steps; `eachStep` runs before each. */
  const pass = async (ms: number, eachStep = () => {}) => {
    for (let passedMs = 0; passedMs < ms; passedMs += STEP_MS) {
      eachStep();
      clock.advance(STEP_MS);
      await turnOfEventLoop();
    }
  };
  const store = async () => {
    stored.push(event(stored.length + 1));
    wakeUp.wake();
    await turnOfEventLoop();
  };
  return { pass, reads, store, wake: () => wakeUp.wake(), written: response.written };
}

function event(sequence: number) {
  const ids = { id: `event-${sequence}`, organizationId: 'organization', agentId: 'agent', callId: 'call' };
  return { ...ids, sequence, type: 'event_call_started', data: {}, createdMs: 0 } as const;
}

it('a client that reads slowly adds no listener with each event', async () => {
  const response = new SlowResponse(new IncomingMessage(new Socket()));
  const source = {
    after: async () => Array.from({ length: EVENTS }, (_, index) => event(index + 1)),
    isOver: async () => true,
    isAllowed: async () => true,
    onStored: () => () => {},
    clock: { after: () => () => {} },
  };
  await sendEvents(response, source, 0);
  expect(response.listenersAtWrite).toHaveLength(EVENTS);
  expect(new Set(response.listenersAtWrite).size).toBe(1);
});

it('a stream without events gets keep-alives, however often it is woken', async () => {
  const { pass, wake, written } = stream();
  await pass(KEEP_ALIVE_MS - STEP_MS, wake);
  expect(written).toEqual([]);
  await pass(2 * STEP_MS, wake);
  expect(written).toEqual([': keep-alive\n\n']);
  await pass(KEEP_ALIVE_MS, wake);
  expect(written).toHaveLength(2);
});

it('a keep-alive follows the keep-alive interval after the last event', async () => {
  const { pass, store, written } = stream();
  await pass(KEEP_ALIVE_MS - STEP_MS);
  await store();
  await pass(KEEP_ALIVE_MS - STEP_MS);
  expect(written).toEqual([expect.stringContaining('id: 1\n')]);
  await pass(2 * STEP_MS);
  expect(written.slice(1)).toEqual([': keep-alive\n\n']);
});

it('an event costs one read of the events and one of the state of the call', async () => {
  const { pass, reads, store, written } = stream();
  await pass(STEP_MS);
  expect(reads).toEqual({ after: 1, isOver: 1 });
  await store();
  await pass(KEEP_ALIVE_MS / 2);
  expect(written).toHaveLength(1);
  expect(reads).toEqual({ after: 2, isOver: 2 });
});
