import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../base/time/clock.ts';
import { drained } from './event-stream.ts';
import type { ListedRunningCall, RunningCallList } from './running-calls.ts';

/** Time between two reads of the running calls, ms. All changes in it are one message. */
const INTERVAL_MS = 1_000;
/** Reads without a change until a comment line is sent: it keeps proxies from closing the connection. */
const UNCHANGED_READS_MAX = 15;

export interface RunningCallsView {
  readonly read: () => Promise<RunningCallList>;
  /** Whether the client may still read. Asked before each read: its key may have been revoked. */
  readonly isAllowed: () => Promise<boolean>;
  readonly clock: Pick<Clock, 'after'>;
}

/** The list as the client has it. */
interface KnownList {
  readonly byId: ReadonlyMap<string, ListedRunningCall>;
  readonly truncated: boolean;
}

/**
 * Sends the running calls as server-sent events (HTML Living Standard §9.2): first `calls` with all of the list, then `changes` with
 * those that are new or different, the ids of those that have ended, and the ids of those that a full list no longer has. For a client
 * that reads slowly, the changes of a longer time are one message. Resolves when the connection has closed or `isAllowed` returns false.
 * Rejects when the view rejects.
 */
export async function sendRunningCalls(response: ServerResponse, view: RunningCallsView): Promise<void> {
  let known: KnownList | null = null;
  let unchangedReads = 0;
  while (!response.destroyed && (await view.isAllowed())) {
    const list = await view.read();
    if (response.destroyed) return;
    const message: string | null = known === null ? wholeMessage(list) : changesMessage(known, list);
    known = { byId: new Map(list.calls.map((call) => [call.answer.id, call])), truncated: list.truncated };
    unchangedReads = message === null ? unchangedReads + 1 : 0;
    const text = message ?? (unchangedReads % UNCHANGED_READS_MAX === 0 ? ': keep-alive\n\n' : null);
    if (text !== null && !response.write(text)) await drained(response);
    await pause(response, view.clock);
  }
}

function wholeMessage({ calls, truncated }: RunningCallList): string {
  return `event: calls\ndata: {"calls":[${jsonOf(calls)}],"truncated":${truncated}}\n\n`;
}

/** Null: nothing has changed. */
function changesMessage(known: KnownList, { calls, truncated }: RunningCallList): string | null {
  const ids = new Set(calls.map(({ answer }) => answer.id));
  const changed = calls.filter(({ answer, json }) => known.byId.get(answer.id)?.json !== json);
  const gone = [...known.byId.values()].filter(({ answer }) => !ids.has(answer.id));
  if (changed.length === 0 && gone.length === 0 && truncated === known.truncated) return null;
  // A full list leaves out only calls older than its last one. Whether those still run it does not say.
  const oldestUs = truncated ? (calls.at(-1)?.listedUs ?? 0) : 0;
  const ended = gone.filter(({ listedUs }) => listedUs > oldestUs);
  const leftOut = gone.filter(({ listedUs }) => listedUs <= oldestUs);
  const lists = `"calls":[${jsonOf(changed)}],"ended":${idsOf(ended)},"left_out":${idsOf(leftOut)}`;
  return `event: changes\ndata: {${lists},"truncated":${truncated}}\n\n`;
}

function jsonOf(calls: readonly ListedRunningCall[]): string {
  return calls.map(({ json }) => json).join(',');
}

function idsOf(calls: readonly ListedRunningCall[]): string {
  return JSON.stringify(calls.map(({ answer }) => answer.id));
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
