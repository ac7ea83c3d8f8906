import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { RunningCallAnswer } from '../../../../src/api/calls/running-calls.ts';
import { sendRunningCalls } from '../../../../src/api/calls/running-calls-stream.ts';
import { runningCallSchema } from '../../../../src/api/schemas/running-call.ts';

const EXAMPLE = runningCallSchema.parse(Object(runningCallSchema.meta()?.examples)[0]);
const KEEP_ALIVE_LOOKS = 15;

class RecordedResponse extends ServerResponse {
  readonly messages: string[] = [];
  /** Listeners at each write. */
  readonly listenersAtWrite: number[] = [];
  isSlow = false;

  override write(text: string): boolean {
    this.messages.push(text);
    this.listenersAtWrite.push(this.listenerCount('close') + this.listenerCount('drain'));
    if (this.isSlow) setImmediate(() => this.emit('drain'));
    return !this.isSlow;
  }
}

/** Shows `looks` lists one after another, one a second, and then no longer allows the client to read. */
async function sent(looks: readonly (readonly RunningCallAnswer[])[], isSlow = false) {
  const response = new RecordedResponse(new IncomingMessage(new Socket()));
  response.isSlow = isSlow;
  let look = 0;
  let waitedMs = 0;
  await sendRunningCalls(response, {
    read: async () => looks[look++] ?? [],
    isAllowed: async () => look < looks.length,
    clock: {
      after: (ms, callback) => {
        waitedMs += ms;
        queueMicrotask(callback);
        return () => {};
      },
    },
  });
  return { response, waitedMs };
}

function named(id: string, state = 'greeting'): RunningCallAnswer {
  return { ...EXAMPLE, id, state };
}

function eventsOf({ messages }: RecordedResponse) {
  return messages.map((message) => {
    const [, type = '', data = 'null'] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(message) ?? [];
    const { calls = [], ended = [] }: { calls?: RunningCallAnswer[]; ended?: string[] } = JSON.parse(data) ?? {};
    return [type, calls.map(({ id, state }) => `${id} ${state}`), ended] as const;
  });
}

describe('the stream of running calls', () => {
  it('begins with all calls, and goes on with what is new, different or over', async () => {
    const { response } = await sent([
      [named('a'), named('b')],
      [named('a'), named('b')],
      [named('c'), named('a', 'booking'), named('b')],
      [named('c')],
    ]);
    expect(eventsOf(response)).toEqual([
      ['calls', ['a greeting', 'b greeting'], []],
      ['changes', ['c greeting', 'a booking'], []],
      ['changes', [], ['a', 'b']],
    ]);
  });

  it('puts ten thousand changes of a minute into sixty messages', async () => {
    const second = (at: number) =>
      Array.from({ length: 500 }, (_, index) => named(`${index}`, `${index % 3 === at % 3 ? at : ''}`));
    const { response, waitedMs } = await sent(Array.from({ length: 60 }, (_, at) => second(at)));
    const changes = eventsOf(response)
      .slice(1)
      .reduce((sum, [, calls]) => sum + calls.length, 0);
    expect(changes).toBeGreaterThan(10_000);
    expect([response.messages.length, waitedMs]).toEqual([60, 60_000]);
  });

  it('keeps a quiet connection open with comments', async () => {
    const { response } = await sent(Array.from({ length: KEEP_ALIVE_LOOKS + 2 }, () => [named('a')]));
    expect(response.messages.slice(1)).toEqual([': keep-alive\n\n']);
  });

  it('adds no listener with each message to a client that reads slowly', async () => {
    const { response } = await sent(
      Array.from({ length: 20 }, (_, at) => [named('a', `${at}`)]),
      true,
    );
    expect(new Set(response.listenersAtWrite).size).toBe(1);
  });
});
