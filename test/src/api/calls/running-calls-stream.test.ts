import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ListedRunningCall, RunningCallList } from '../../../../src/api/calls/running-calls.ts';
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
async function sent(looks: readonly RunningCallList[], isSlow = false) {
  const response = new RecordedResponse(new IncomingMessage(new Socket()));
  response.isSlow = isSlow;
  let look = 0;
  let waitedMs = 0;
  await sendRunningCalls(response, {
    read: async () => looks[look++] ?? listOf(),
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

function named(id: string, state = 'greeting', listedUs = 1): ListedRunningCall {
  const answer = { ...EXAMPLE, id, state };
  return { answer, json: JSON.stringify(answer), listedUs };
}

function listOf(...calls: readonly ListedRunningCall[]): RunningCallList {
  return { calls, truncated: false };
}

/** A list that leaves older calls out. The last name is the oldest call. */
function fullList(listedUs: Readonly<Record<string, number>>): RunningCallList {
  return { calls: Object.entries(listedUs).map(([id, us]) => named(id, 'greeting', us)), truncated: true };
}

interface Message {
  readonly calls?: readonly { readonly id: string; readonly state: string | null }[];
  readonly ended?: readonly string[];
  readonly left_out?: readonly string[];
  readonly truncated?: boolean;
}

/** What the messages say of calls that are no longer in the list. */
function goneOf({ messages }: RecordedResponse) {
  return messages.map((message) => {
    const { ended = [], left_out = [], truncated }: Message = JSON.parse(message.split('data: ')[1] ?? '{}');
    return { ended, left_out, truncated };
  });
}

function eventsOf({ messages }: RecordedResponse) {
  return messages.map((message) => {
    const [, type = '', data = 'null'] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(message) ?? [];
    const { calls = [], ended = [] }: Message = JSON.parse(data) ?? {};
    return [type, calls.map(({ id, state }) => `${id} ${state}`), ended] as const;
  });
}

describe('the stream of running calls', () => {
  it('begins with all calls, and goes on with what is new, different or over', async () => {
    const { response } = await sent([
      listOf(named('a'), named('b')),
      listOf(named('a'), named('b')),
      listOf(named('c'), named('a', 'booking'), named('b')),
      listOf(named('c')),
    ]);
    expect(eventsOf(response)).toEqual([
      ['calls', ['a greeting', 'b greeting'], []],
      ['changes', ['c greeting', 'a booking'], []],
      ['changes', [], ['a', 'b']],
    ]);
  });

  it('does not report a call as ended that newer calls push out of a full list', async () => {
    const { response } = await sent([
      listOf(named('b', 'greeting', 2), named('a', 'greeting', 1)),
      fullList({ c: 3, b: 2 }),
      fullList({ d: 4, c: 3 }),
    ]);
    expect(goneOf(response)).toEqual([
      { ended: [], left_out: [], truncated: false },
      { ended: [], left_out: ['a'], truncated: true },
      { ended: [], left_out: ['b'], truncated: true },
    ]);
  });

  it('reports a call of a full list as ended, and the older call that takes its place as new', async () => {
    const { response } = await sent([fullList({ c: 3, b: 2 }), fullList({ c: 3, a: 1 })]);
    expect(goneOf(response)[1]).toEqual({ ended: ['b'], left_out: [], truncated: true });
    expect(eventsOf(response)[1]).toEqual(['changes', ['a greeting'], ['b']]);
  });

  it('says when a list is no longer full, though none of its calls has changed', async () => {
    const full = fullList({ b: 2, a: 1 });
    const { response } = await sent([full, listOf(...full.calls)]);
    expect(goneOf(response)[1]).toEqual({ ended: [], left_out: [], truncated: false });
  });

  it('puts ten thousand changes of a minute into sixty messages', async () => {
    const second = (at: number) =>
      listOf(...Array.from({ length: 500 }, (_, index) => named(`${index}`, `${index % 3 === at % 3 ? at : ''}`)));
    const { response, waitedMs } = await sent(Array.from({ length: 60 }, (_, at) => second(at)));
    const changes = eventsOf(response)
      .slice(1)
      .reduce((sum, [, calls]) => sum + calls.length, 0);
    expect(changes).toBeGreaterThan(10_000);
    expect([response.messages.length, waitedMs]).toEqual([60, 60_000]);
  });

  it('keeps a quiet connection open with comments', async () => {
    const { response } = await sent(Array.from({ length: KEEP_ALIVE_LOOKS + 2 }, () => listOf(named('a'))));
    expect(response.messages.slice(1)).toEqual([': keep-alive\n\n']);
  });

  it('adds no listener with each message to a client that reads slowly', async () => {
    const { response } = await sent(
      Array.from({ length: 20 }, (_, at) => listOf(named('a', `${at}`))),
      true,
    );
    expect(new Set(response.listenersAtWrite).size).toBe(1);
  });
});
