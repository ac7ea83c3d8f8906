import { parentPort, workerData } from 'node:worker_threads';
import { parseAddressRange } from '../../base/network/address-range.ts';
import { SYSTEM_CLOCK } from '../../base/time/system-clock.ts';
import { startHeartbeat } from '../heartbeat/heartbeat.ts';
import { concealedAddresses, NOTHING_CONCEALED } from '../transport/concealed-addresses.ts';
import { SYSTEM_DNS } from '../transport/resolve-target.ts';
import type { ServerWorkerCommand, ServerWorkerOptions, ServerWorkerReport } from './server-worker-protocol.ts';
import { SipServer } from './sip-server.ts';

/** Runs the embedded server in its own thread, so that engine and API cannot delay a retransmission. */
async function run(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('not a worker');
  const report = (message: ServerWorkerReport) => port.postMessage(message);
  const options: ServerWorkerOptions = workerData;
  let server: SipServer;
  try {
    server = await SipServer.start({
      ...options,
      clock: SYSTEM_CLOCK,
      names: SYSTEM_DNS,
      isConcealed:
        options.revealedNetworks === null
          ? NOTHING_CONCEALED
          : concealedAddresses(options.revealedNetworks.map(parseAddressRange)),
      onDialog: (id, sipCallId, recovery) => report({ type: 'dialog', id, sipCallId, recovery }),
      onInviteRefused: (refusal) => report({ type: 'invite_refused', refusal }),
      onRefreshChallenged: (id, method) => report({ type: 'refresh_challenged', id, method }),
      onConnectionLost: ({ transport, address, port }) => report({ type: 'connection_lost', transport, address, port }),
    });
  } catch (error) {
    report({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
    return;
  }
  port.on('message', (command: ServerWorkerCommand) => {
    switch (command.type) {
      case 'end_orphan':
        void server
          .endOrphan(command.recovery, command.credentials)
          .then(() => report({ type: 'orphan_ended', id: command.id }));
        break;
      case 'statistics':
        report({ type: 'statistics', id: command.id, statistics: server.statistics });
        break;
      case 'trace':
        server.trace(command.on ? (entry) => report({ type: 'trace', entry }) : null);
        break;
      case 'sources':
        server.setAllowedSources(command.sources);
        break;
      case 'other_listeners':
        server.setOtherListeners(command.listeners);
        break;
      case 'reload_tls':
        report({ type: 'tls_reloaded', id: command.id, error: reloadTls(server) });
        break;
      case 'close':
        void server.close().then(() => {
          report({ type: 'closed' });
          port.close();
        });
        break;
    }
  });
  startHeartbeat(options.heartbeat);
  report({ type: 'started', ...server.applicationAddress, addresses: server.addresses });
}

/** The error of a failed reload; null on success. */
function reloadTls(server: SipServer): string | null {
  try {
    server.reloadTls();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

await run();
