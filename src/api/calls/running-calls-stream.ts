import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../base/time/clock.ts';
import { drained } from './event-stream.ts';
import type { RunningCallAnswer } from './running-calls.ts';

/** Time between two reads of the running calls, ms. All changes in it are one message. */
const INTERVAL_MS = 1_000;
/** Reads without a change until a comment line is sent: it keeps proxies from closing the connection. */
const UNCHANGED_READS_MAX = 15;

export interface RunningCallsView {
  readonly read: () => Promise<readonly RunningCallAnswer[]>;
  /** Whether the client may still read. Asked before each read: its key may have been revoked. */
  readonly isAllowed: () => Promise<boolean>;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Sends the running calls as server-sent events (HTML Living Standard §9.2): first `calls` with all of them, then `changes` with those
 * that are new or different and the ids of those that have ended. For a client that
 * reads slowly, the changes of a longer time are one message. Resolves when the connection has closed or `isAllowed` returns false.
 * Rejects when the view rejects.
 */
export async function sendRunningCalls(response: ServerResponse, view: RunningCallsView): Promise<void> {
  /** The calls as the client has them: the JSON of each by its id. */
  let known: ReadonlyMap<string, string> | null = null;
  let unchangedReads = 0;
  while (!response.destroyed && (await view.isAllowed())) {
    const calls = new Map((await view.read()).map((call) => [call.id, JSON.stringify(call)]));
    if (response.destroyed) return;
    const message = messageOf(known, calls);
    known = calls;
    unchangedReads = message === null ? unchangedReads + 1 : 0;
    const text = message ?? (unchangedReads % UNCHANGED_READS_MAX === 0 ? ': keep-alive\n\n' : null);
    if (text !== null && !response.write(text)) await drained(response);
    await pause(response, view.clock);
  }
}

/** Null: nothing has changed. */
function messageOf(known: ReadonlyMap<string, string> | null, calls: ReadonlyMap<string, string>): string | null {
  if (known === null) return `event: calls\ndata: {"calls":[${[...calls.values()].join(',')}]}\n\n`;
  const changed = [...calls].flatMap(([id, json]) => (known.get(id) === json ? [] : [json]));
  const ended = [...known.keys()].filter((id) => !calls.has(id));
  if (changed.length === 0 && ended.length === 0) return null;
  return `event: changes\ndata: {"calls":[${changed.join(',')}],"ended":${JSON.stringify(ended)}}\n\n`;
}

/** Resolves after `INTERVAL_MS`, or when the connection closes. */
function pause(response: ServerResponse, clock: RunningCallsView['clock']): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(INTERVAL_MS, () => {
      response.off('close', leave);
      resolve();
    });
    const leave = () => {
      stop();
      resolve();
    };
    response.once('close', leave);
  });
}
