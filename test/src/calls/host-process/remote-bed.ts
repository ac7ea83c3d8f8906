import { setImmediate as turn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { CallHost } from '../../../../src/calls/host/call-host.ts';
import { CallHostServer } from '../../../../src/calls/host-process/call-host-server.ts';
import type { HostCallMessage, HostInstruction } from '../../../../src/calls/host-process/host-messages.ts';
import { MessageBatch } from '../../../../src/calls/host-process/message-batch.ts';
import { RemoteCallHost } from '../../../../src/calls/host-process/remote-call-host.ts';
import type { CallServices } from '../../../../src/calls/host-process/service-access.ts';

/** Services that answer nothing. */
export const SILENT_SERVICES: CallServices = { tools: () => ({ run() {} }), knowledge: () => ({ search() {} }) };

export interface RemoteBed {
  readonly clock: SimulatedClock;
  readonly host: RemoteCallHost;
  /** Paths whose recordings were repaired. */
  readonly repaired: readonly string[];
  /** Errors of recordings. */
  readonly faults: readonly unknown[];
  /** Resolves once all messages so far have arrived on both sides. */
  delivered(): Promise<void>;
  /** The host's process exits: no message passes from now on. */
  exit(reason: string): void;
}

/** A channel as that of a child process: batches, copied as Node's IPC copies them, delivered on a later turn of the event loop. */
export function cloningChannel<Message>(receive: (message: Message) => void): (message: Message) => void {
  const batch = new MessageBatch<Message>((messages) => {
    const bytes = serialize(messages);
    setImmediate(() => {
      for (const message of deserialize(bytes) as readonly Message[]) receive(message);
    });
  });
  return (message) => batch.add(message);
}

/** `inner` behind a channel. */
export function remoteBed(
  inner: CallHost,
  services = SILENT_SERVICES,
  recorded = (): number | Error => 1_500,
): RemoteBed {
  let isAlive = true;
  const repaired: string[] = [];
  const faults: unknown[] = [];
  const toService = cloningChannel<HostCallMessage>((message) => {
    if (isAlive) host.receive(message);
  });
  const server = new CallHostServer(inner, toService);
  const toHost = cloningChannel<HostInstruction>((message) => {
    if (isAlive && message.type !== 'service_response') server.receive(message);
  });
  const clock = new SimulatedClock();
  const host = new RemoteCallHost({
    clock,
    send: toHost,
    services,
    repairRecording: async (path) => {
      repaired.push(path);
      const durationMs = recorded();
      if (durationMs instanceof Error) throw durationMs;
      return durationMs;
    },
    onRecordingFault: (callId, error) => void faults.push({ callId, error }),
  });
  return {
    clock,
    host,
    repaired,
    faults,
    delivered: async () => {
      for (let turns = 0; turns < 4; turns++) await turn();
    },
    exit: (reason) => {
      isAlive = false;
      host.exited(reason);
    },
  };
}
