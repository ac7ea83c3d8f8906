import { describe, expect, it } from 'vitest';
import { RUNNING_CALLS_MAX, RunningCalls } from '../../../../src/api/calls/running-calls.ts';
import type { CallActivity } from '../../../../src/calls/api-requests/call-activity.ts';
import type { RunningCall } from '../../../../src/storage/calls/running-call.ts';

const ORGANIZATION = 'organization';
/** Streams ask once a second. */
const LOOK_MS = 1_000;
const LIST_AGE_MS_MAX = 5_000;

function call(id: string): RunningCall {
  return {
    id,
    agentId: 'agent',
    agentVersion: 1,
    type: 'phone_call',
    direction: 'inbound',
    status: 'in_progress',
    fromNumber: '+15550100',
    toNumber: '+15550101',
    createdMs: 0,
    startMs: 0,
    listedUs: 0,
  };
}

function bed() {
  let nowMs = 0;
  let wakeUps = 0;
  const lists: string[] = [];
  let questions = 0;
  let calls = [call('one')];
  const activities = new Map<string, CallActivity>();
  let fault: Error | null = null;
  const running = new RunningCalls({
    callLists: {
      running: async (organizationId, { agentId, type }, limit) => {
        lists.push([organizationId, agentId, type].filter((part) => part !== undefined).join(' '));
        if (fault !== null) throw fault;
        return calls.slice(0, limit);
      },
    },
    activities: async () => {
      questions++;
      return activities;
    },
    eventWatchers: {
      get wakeUps() {
        return wakeUps;
      },
    },
    clock: { wallMs: () => nowMs },
  });
  return {
    running,
    lists,
    activities,
    questions: () => questions,
    show: (count: number) => {
      calls = Array.from({ length: count }, (_, index) => call(`${index}`));
    },
    advance: (ms: number) => {
      nowMs += ms;
    },
    store: () => {
      wakeUps++;
    },
    fail: (error: Error | null) => {
      fault = error;
    },
  };
}

describe('the running calls of an organization', () => {
  it('are read once for all who ask within a second, whatever is stored in it', async () => {
    const { lists, running, store } = bed();
    const asked = Array.from({ length: 200 }, () => {
      store();
      return running.of(ORGANIZATION);
    });
    await Promise.all(asked);
    await running.of('other');
    expect(lists).toEqual([ORGANIZATION, 'other']);
  });

  it('say what happens now without another question to the database', async () => {
    const { activities, advance, lists, running } = bed();
    const answers = async () => (await running.of(ORGANIZATION)).calls.map(({ answer }) => answer);
    expect(await answers()).toMatchObject([{ id: 'one', activity: null, state: null }]);
    activities.set('one', { activity: 'user_speaking', state: 'greeting', responseMs: 640 });
    advance(LOOK_MS);
    expect(await answers()).toMatchObject([
      { id: 'one', activity: 'user_speaking', state: 'greeting', response_ms: 640 },
    ]);
    expect(lists).toHaveLength(1);
  });

  it('are read again once something was stored, and after some seconds in any case', async () => {
    const { advance, lists, running, store } = bed();
    await running.of(ORGANIZATION);
    store();
    advance(LOOK_MS);
    await running.of(ORGANIZATION);
    expect(lists).toHaveLength(2);
    for (let ms = 0; ms < LIST_AGE_MS_MAX; ms += LOOK_MS) {
      advance(LOOK_MS);
      await running.of(ORGANIZATION);
    }
    expect(lists).toHaveLength(3);
  });

  it('do not stay unreadable after a failure', async () => {
    const { fail, running } = bed();
    fail(new Error('the database is unreachable'));
    await expect(running.of(ORGANIZATION)).rejects.toThrow('unreachable');
    fail(null);
    expect((await running.of(ORGANIZATION)).calls).toHaveLength(1);
  });

  it('are filtered by the database, once for all clients with the same filter', async () => {
    const { lists, questions, running } = bed();
    for (let client = 0; client < 3; client++) {
      await running.of(ORGANIZATION, { agentId: 'a' });
      await running.of(ORGANIZATION, { agentId: 'b', type: 'web_call' });
      await running.of(ORGANIZATION);
    }
    expect(lists).toEqual([`${ORGANIZATION} a`, `${ORGANIZATION} b web_call`, ORGANIZATION]);
    expect(questions(), 'questions to the nodes').toBe(1);
  });

  it('are the newest five hundred, and say whether more run', async () => {
    const { advance, running, show, store } = bed();
    show(RUNNING_CALLS_MAX);
    expect(await running.of(ORGANIZATION)).toMatchObject({ truncated: false, calls: { length: RUNNING_CALLS_MAX } });
    show(RUNNING_CALLS_MAX + 1);
    store();
    advance(LOOK_MS);
    expect(await running.of(ORGANIZATION)).toMatchObject({ truncated: true, calls: { length: RUNNING_CALLS_MAX } });
  });

  it('are written as JSON once for all clients', async () => {
    const { running } = bed();
    const [first, second] = await Promise.all([running.of(ORGANIZATION), running.of(ORGANIZATION)]);
    expect(second).toBe(first);
    expect(first.calls.map(({ answer, json }) => [JSON.parse(json), answer.id])).toEqual([
      [first.calls[0]?.answer, 'one'],
    ]);
  });
});
