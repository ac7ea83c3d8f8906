import type { Provider } from '../../../adapters/registry/provider.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import { printableLines } from '../../../base/text/printable.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { withRemedy } from '../../configuration/with-remedy.ts';
import { createLogger, type Log } from '../../log/log.ts';
import { type Service, startService } from '../../service/service.ts';
import { loadTapeProvider } from '../files/tape-provider.ts';

/** Time that calls have to end after SIGTERM. */
const DRAIN_GRACE_MS = 30_000;

/** Runs the service until a signal ends it. Prints wrong settings, one per line. */
export async function startCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const configuration = read(environment);
  if (configuration === null) return;
  const { logFormat: format, logLevel: level } = configuration;
  const log = createLogger({ level, format, secrets: keysOf(configuration) });
  try {
    const providers = configuration.tapeDir === null ? [] : [await tapeProvider(configuration.tapeDir, log)];
    const service = await startService({ configuration, log, providers });
    announce(service, log);
    stopOnSignals(service, log);
  } catch (error) {
    process.stderr.write(
      `trunkline did not start: ${printableLines(error instanceof Error ? error.message : String(error))}\n`,
    );
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

/** Addresses and the first API key go to standard error, for people: standard output holds the log alone. */
function announce(service: Service, log: Log): void {
  const { firstApiKey, httpUrl, signalling } = service;
  const sip = signalling.addresses.map(({ transport, host, port }) => `${transport} ${host}:${port}`);
  log.info({ http_url: httpUrl, sip }, 'service started');
  const lines = [`HTTP  ${httpUrl}  (reference: ${httpUrl}/docs)`, `SIP   ${sip.join(', ')}`];
  if (firstApiKey !== null) lines.push(`API key, shown this once: ${firstApiKey}`);
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** SIGHUP reloads the certificates, SIGTERM and SIGINT shut down. A second signal or an uncaught error ends the process quickly. */
function stopOnSignals(service: Service, log: Log): void {
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
      () => log.info({}, 'TLS files reloaded'),
      (error: unknown) => log.error({ err: error }, 'TLS file reload failed'),
    );
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception ended the process');
    stop(0, 1);
  });
}

/** Secrets that no log line may contain. */
function keysOf({ apiKey, databaseUrl, providers }: Configuration): string[] {
  const keys = PROVIDER_VARIABLES.flatMap(({ kind, name }) => (kind === 'key' ? [providers[name]] : []));
  const password = databaseUrl === null ? null : decodeURIComponent(new URL(databaseUrl).password);
  return [apiKey, password, ...keys].filter((key): key is string => typeof key === 'string');
}

function tapeProvider(directory: string, log: Log): Promise<Provider> {
  return loadTapeProvider(directory, (difference) => log.info({ difference }, 'tape request differed')).catch(
    (error) => {
      throw withRemedy(error, 'TAPE_DIR must be the folder of a recorded call with its voice.wav');
    },
  );
}
