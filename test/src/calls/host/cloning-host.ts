import { expect } from 'vitest';
import type { CallHost } from '../../../../src/calls/host/call-host.ts';

/** The host as seen from another process: structured clone copies everything that crosses the port. */
export function cloning(host: CallHost): CallHost {
  return {
    reserve: async (reservation) => structuredClone(await host.reserve(structuredClone(reservation))),
    prepare: (call, agent) => host.prepare(structuredClone(call), structuredClone(agent)),
    start: (request) => host.start(structuredClone(request)),
    activities: async () => structuredClone(await host.activities()),
    send: (command) => host.send(structuredClone(command)),
    onEvent: (listener) =>
      host.onEvent((event) => {
        const copy = structuredClone(event);
        expect(copy).toEqual(event);
        listener(copy);
      }),
  };
}
