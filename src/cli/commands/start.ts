import type { Logger } from 'pino';
import type { Provider } from '../../../adapters/registry/provider.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { createLogger } from '../../observability/log/log.ts';
import { type Service, startService } from '../../service/service.ts';
import { loadTapeProvider } from '../files/tape-provider.ts';

/** Time that calls have to end after SIGTERM. */
const DRAIN_GRACE_MS = 30_000;

/** Runs the service until a signal ends it. Prints wrong settings, one per line. */
export async function startCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const configuration = read(environment);
  if (configuration === null) return;
  const log = createLogger({ level: configuration.logLevel, secrets: keysOf(configuration) });
  try {
    const providers = configuration.tapeDir === null ? [] : [await tapeProvider(configuration.tapeDir, log)];
    const service = await startService({ configuration, log, providers });
    announce(service);
    stopOnSignals(service, log);
  } catch (error) {
    process.stderr.write(`trunkline did not start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function read(environment: NodeJS.ProcessEnv): Configuration | null {
  try {
    return loadConfiguration(environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return null;
  }
}

function announce(service: Service): void {
  const sip = service.signalling.addresses.map(({ transport, host, port }) => `${transport} ${host}:${port}`);
  const lines = [`HTTP  ${service.httpUrl}  (reference: ${service.httpUrl}/docs)`, `SIP   ${sip.join(', ')}`];
  if (service.firstApiKey !== null) {
    lines.push(`API key, shown this once: ${service.firstApiKey}`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** SIGHUP reloads the certificates, SIGTERM and SIGINT shut down. A second signal or an uncaught error ends the process quickly. */
function stopOnSignals(service: Service, log: Logger): void {
  let stopping = false;
  const stop = (graceMs: number, exitCode: number) => {
    if (stopping) process.exit(1);
    stopping = true;
    service.stop(graceMs).then(
      () => process.exit(exitCode),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', () => stop(DRAIN_GRACE_MS, 0));
  process.on('SIGINT', () => stop(0, 0));
  process.on('SIGHUP', () => {
    service.sip.reloadTls().then(
      () => log.info('TLS files reloaded'),
      (error: unknown) => log.error({ err: error }, 'reloading TLS files failed; keeping the previous ones'),
    );
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error; ending all calls and the process');
    stop(0, 1);
  });
}

/** Secrets that no log line may contain. */
function keysOf({ apiKey, databaseUrl, providers }: Configuration): string[] {
  const keys = PROVIDER_VARIABLES.flatMap(({ kind, name }) => (kind === 'key' ? [providers[name]] : []));
  const password = databaseUrl === null ? null : decodeURIComponent(new URL(databaseUrl).password);
  return [apiKey, password, ...keys].filter((key): key is string => typeof key === 'string');
}

function tapeProvider(directory: string, log: Logger): Promise<Provider> {
  return loadTapeProvider(directory, (difference) => log.info({ difference }, 'request differs from the tape'));
}
