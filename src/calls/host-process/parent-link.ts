import type { HostMessage, ServiceMessage } from './host-messages.ts';
import { MessageBatch } from './message-batch.ts';

/** In the host's process: the channel to the service. The process ends with the channel: without the service, nothing could end its calls. */
export function connectToService(onMessage: (message: ServiceMessage) => void): (message: HostMessage) => void {
  process.on('message', (messages) => {
    for (const message of messages as readonly ServiceMessage[]) onMessage(message);
  });
  process.on('disconnect', () => process.exit(1));
  // The service ends its hosts itself, once their calls have ended: a terminal and systemd send these to all processes.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const batch = new MessageBatch<HostMessage>((messages) => process.send?.(messages, () => {}));
  return (message) => batch.add(message);
}
