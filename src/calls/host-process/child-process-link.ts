import { fork } from 'node:child_process';
import type { HostLink, HostLinkListener, LaunchHost } from './host-link.ts';
import type { HostMessage, ServiceMessage } from './host-messages.ts';
import { MessageBatch } from './message-batch.ts';

/** Variables that a host has no use for: it opens no database, no API and no SIP server. */
const WITHHELD = ['TRUNKLINE_API_KEY', 'TRUNKLINE_MASTER_KEY', 'DATABASE_URL', 'SIP_SECRET'];

/**
 * Starts host processes with this script. They inherit the environment, for proxies and certificate authorities, and standard error,
 * for what V8 prints before it aborts.
 */
export function childProcessLauncher(script: URL): LaunchHost {
  return (settings, listener) => {
    const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.includes(name));
    return launch(script, settings.host, Object.fromEntries(inherited), listener);
  };
}

function launch(
  script: URL,
  host: number,
  env: Record<string, string | undefined>,
  listener: HostLinkListener,
): HostLink {
  const child = fork(script, [`call-host-${host}`], {
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', (messages) => {
    for (const message of messages as readonly HostMessage[]) listener.onMessage(message);
  });
  let reason: string | null = null;
  const batch = new MessageBatch<ServiceMessage>((messages) => {
    try {
      // A message to a process that has exited is lost, and its exit follows.
      child.send(messages, () => {});
    } catch (error) {
      // A lost message would leave its call without an end.
      reason ??= `a message could not be sent: ${error instanceof Error ? error.message : String(error)}`;
      child.kill('SIGKILL');
    }
  });
  let isDrained = false;
  let isOver = false;
  const over = () => {
    if (isOver || reason === null || !isDrained) return;
    isOver = true;
    listener.onExit(reason);
  };
  // The channel closes after the last message of the process, which may be read after the exit was reported.
  child.on('disconnect', () => {
    isDrained = true;
    // A process without its channel is of no use.
    child.kill('SIGKILL');
    over();
  });
  child.on('exit', (code, signal) => {
    reason ??= signal === null ? `exit code ${code}` : `killed by ${signal}`;
    over();
  });
  child.on('error', (error) => {
    if (child.pid !== undefined) return;
    reason = error.message;
    isDrained = true;
    over();
  });
  return {
    pid: child.pid ?? -1,
    send: (message) => batch.add(message),
    kill: () => void child.kill('SIGKILL'),
  };
}
