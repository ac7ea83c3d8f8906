import { collectStartupGarbage } from '../../../base/limits/collect-startup-garbage.ts';
import { CallHostServer } from '../../calls/host-process/call-host-server.ts';
import type { HostMessage, ServiceMessage } from '../../calls/host-process/host-messages.ts';
import { connectToService } from '../../calls/host-process/parent-link.ts';
import { ServiceAccess } from '../../calls/host-process/service-access.ts';
import { hostLog } from './host-log.ts';
import { type StartedHost, startHost } from './start-host.ts';

/** The entry of a call host's process. */
let started: StartedHost | null = null;
let server: CallHostServer | null = null;

const send: (message: HostMessage) => void = connectToService((message) => receive(message));
const log = hostLog(send);
const services = new ServiceAccess(send);

process.on('uncaughtException', (error) => fail(error));

function receive(message: ServiceMessage): void {
  switch (message.type) {
    case 'settings':
      startHost(message.settings, { send, services, log }).then((host) => {
        started = host;
        server = new CallHostServer(host.calls, send);
        collectStartupGarbage();
        send({ type: 'ready' });
      }, fail);
      return;
    case 'request':
    case 'command':
      server?.receive(message);
      return;
    case 'service_response':
      services.receive(message.id, message.response);
      return;
    case 'stop':
      void (started?.stop() ?? Promise.resolve()).finally(() => process.exit(0));
      return;
  }
}

/** The service ends the calls of a host that exits. */
function fail(error: unknown): void {
  log.fatal({ err: error }, 'call host failed');
  // After the line has been written to the channel.
  setImmediate(() => process.exit(1));
}
