import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningCall } from '../../../console/src/generated/client.ts';

const CALLS = 500;
/** Ten thousand changes in sixty messages, ten times as fast as they come in a minute. */
const MESSAGES = 60;
const CHANGES = 167;
const INTERVAL_MS = 100;
/** State of the newest call after the last message. */
export const LAST_STATE = `state ${MESSAGES - 1}`;

const ACTIVITIES = ['user_speaking', 'thinking', 'agent_speaking'] as const;

export interface BusyStream {
  readonly url: string;
  /** Resolves after the last message. */
  readonly done: Promise<void>;
  close(): Promise<void>;
}

/** A service that streams many running calls, which change all the time. */
export async function startBusyStream(): Promise<BusyStream> {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const all = Array.from({ length: CALLS }, (_, index) => runningCall(index, 'begin'));
    response.write(`event: calls\ndata: ${JSON.stringify({ calls: all, truncated: false })}\n\n`);
    for (let at = 0; at < MESSAGES && !response.destroyed; at++) {
      await wait(INTERVAL_MS);
      // The newest call, and others in turn.
      const places = [0, ...Array.from({ length: CHANGES - 1 }, (_, one) => 1 + ((at * CHANGES + one) % (CALLS - 1)))];
      const calls = places.map((index) => runningCall(index, `state ${at}`, ACTIVITIES[at % ACTIVITIES.length]));
      response.write(
        `event: changes\ndata: ${JSON.stringify({ calls, ended: [], left_out: [], truncated: false })}\n\n`,
      );
    }
    resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    done,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The call at 0 is the newest. */
export function runningCall(
  index: number,
  state: string,
  activity: RunningCall['activity'] = 'listening',
): RunningCall {
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    status: 'in_progress',
    type: 'phone_call',
    direction: 'inbound',
    from_number: '+33123456789',
    to_number: '+4930123456',
    agent_id: null,
    agent_version: null,
    created_at: new Date(Date.UTC(2026, 0, 1) - index * 1_000).toISOString(),
    start_time: new Date(Date.UTC(2026, 0, 1) - index * 1_000).toISOString(),
    activity,
    state,
    response_ms: 640,
  };
}
