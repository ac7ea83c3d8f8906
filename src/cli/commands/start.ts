import type { Provider } from '../../../adapters/registry/provider.ts';
import { PROVIDER_VARIABLES } from '../../../adapters/registry/provider-variables.ts';
import { collectStartupGarbage } from '../../../base/limits/collect-startup-garbage.ts';
import { printableLines } from '../../../base/text/printable.ts';
import {
  type Configuration,
  type Environment,
  type ReadConfiguration,
  readConfiguration,
} from '../../configuration/configuration.ts';
import { ineffectiveVariables } from '../../configuration/ineffective-variables.ts';
import { misspeltVariables, nearestVariable } from '../../configuration/misspelt-variable.ts';
import { settingsOf } from '../../configuration/settings.ts';
import { CONFIGURATION_VARIABLES } from '../../configuration/variables.ts';
import { createLogger, type Log } from '../../log/log.ts';
import type { StopCause } from '../../log/log-event-catalogue.ts';
import { LogRecords } from '../../log/log-records.ts';
import { type Service, startService } from '../../service/service.ts';
import type { EnvironmentFile } from '../files/environment-file.ts';
import { loadTapeProvider } from '../files/tape-provider.ts';
import { startFaults } from '../start-check/start-faults.ts';

/** Within this time the same signal is no second one: npm passes on what the terminal has sent to this process too. ms. */
const REPEATED_SIGNAL_MS = 1_000;

/** Interval at which a process started by npm looks for its parent, ms. */
const PARENT_CHECK_MS = 1_000;

/** No file of the service, recordings included, is open to other users. */
const UMASK = 0o077;

/** Runs the service until a signal ends it. Prints all that prevents a start, one line each. */
export async function startCommand(environment: Environment, file: EnvironmentFile | null): Promise<void> {
  const parent = process.ppid;
  process.umask(UMASK);
  // A terminal that was closed ends no call.
  process.stderr.on('error', () => undefined);
  const read = readConfiguration(environment);
  const { configuration } = read;
  const { logFormat: format, logLevel: level } = configuration;
  const records = new LogRecords();
  const log = createLogger({ level, format, secrets: keysOf(configuration), records });
  try {
    // Before the faults: a misspelt name is often the cause of one.
    reportIgnored(environment, file, log);
    const { fault, providers } = await tapeProviders(configuration.tapeDir, log);
    await check(read, providers, fault === null ? [] : [fault]);
    for (const variable of ineffectiveVariables(environment))
      log.warn({ variable }, 'variable without effect beside SIP_SERVER');
    const settings = settingsOf(environment);
    const service = await startService({ configuration, settings, log, logRecords: records, providers }).catch(
      async (error: unknown) => {
        // A port that was free at the check may be in use now. The second check prints it with a remedy.
        await check(read, providers);
        throw error;
      },
    );
    collectStartupGarbage();
    stopOnSignals(service, log, { parent, drainMs: configuration.drainMs });
    announce(service, log);
  } catch (error) {
    process.stderr.write(`trunkline did not start:${printableLines(reasonOf(error))}\n`);
    process.exit(1);
  }
}

/** A list begins on the next line. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.startsWith('\n') ? reason : ` ${reason}`;
}

/** @throws Error with all that prevents a start, one line each */
async function check(
  read: ReadConfiguration,
  providers: readonly Provider[],
  more: readonly string[] = [],
): Promise<void> {
  const faults = [...(await startFaults(read, providers)), ...more];
  if (faults.length > 0) throw new Error(faults.map((fault) => `\n  ${fault}`).join(''));
}

/** @param environment the variables of the process and of the file */
function reportIgnored(environment: Environment, file: EnvironmentFile | null, log: Log): void {
  const inFile = file?.variables ?? {};
  for (const line of file?.malformedLines ?? []) log.warn({ line }, 'environment file line malformed');
  for (const variable of Object.keys(inFile)) {
    if (CONFIGURATION_VARIABLES.includes(variable)) continue;
    const nearest = nearestVariable(variable);
    log.warn({ variable, ...(nearest !== undefined && { nearest }) }, 'environment file variable ignored');
  }
  for (const misspelt of misspeltVariables(environment)) {
    if (!(misspelt.variable in inFile)) log.warn({ ...misspelt }, 'environment variable ignored');
  }
}

/** Addresses and the first API key go to standard error, for people: standard output holds the log alone. */
function announce(service: Service, log: Log): void {
  const { firstApiKey, httpUrl, signalling } = service;
  const sip = signalling.addresses.map(({ transport, host, port }) => `${transport} ${host}:${port}`);
  log.info({ http_url: httpUrl, sip }, 'service started');
  const lines = [`HTTP  ${httpUrl}  (reference: ${httpUrl}/docs)`, `SIP   ${sip.join(', ')}`];
  if (firstApiKey !== null) lines.push(`API key, shown only once: ${firstApiKey}`);
  process.stderr.write(`${lines.join('\n')}\n`);
}

/**
 * SIGHUP reloads the certificates, SIGTERM and SIGINT shut down. A second signal or an uncaught error ends the process quickly.
 * @param parent id of the process that started this one
 * @param drainMs time that calls have to end
 */
function stopOnSignals(
  service: Service,
  log: Log,
  { parent, drainMs }: { readonly parent: number; readonly drainMs: number },
): void {
  let stopping = false;
  const stop = (cause: StopCause, graceMs: number, exitCode = 0) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ cause, grace_seconds: graceMs / 1_000 }, 'service stop requested');
    service.stop(graceMs).then(
      () => {
        log.info({}, 'service stopped');
        process.exit(exitCode);
      },
      () => process.exit(1),
    );
  };
  let latest: { readonly signal: StopCause; readonly atMs: number } | null = null;
  const stopOn = (signal: 'SIGTERM' | 'SIGINT', graceMs: number) =>
    process.on(signal, () => {
      const isRepeated = latest?.signal === signal && performance.now() - latest.atMs < REPEATED_SIGNAL_MS;
      latest = { signal, atMs: performance.now() };
      if (!isRepeated) stop(signal, graceMs);
    });
  stopOn('SIGTERM', drainMs);
  stopOn('SIGINT', 0);
  process.on('SIGHUP', () => {
    service.sip.reloadTls().then(
      () => log.info({}, 'TLS files reloaded'),
      (error: unknown) => log.error({ err: error }, 'TLS file reload failed'),
    );
  });
  onParentExit(parent, () => {
    if (!stopping) stop('parent exited', drainMs);
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception ended the process');
    stop('uncaught exception', 0, 1);
  });
}

/** `npx` starts a shell, and passes signals to that shell alone: it exits, and this process keeps running without a parent. */
function onParentExit(parent: number, stop: () => void): void {
  if (process.env.npm_command === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Secrets that no log line may contain. */
function keysOf({ apiKey, databaseUrl, providers }: Configuration): string[] {
  const keys = PROVIDER_VARIABLES.flatMap(({ kind, name }) => (kind === 'key' ? [providers[name]] : []));
  const password = databaseUrl === null ? null : decodeURIComponent(new URL(databaseUrl).password);
  return [apiKey, password, ...keys].filter((key): key is string => typeof key === 'string');
}

/** The provider that replays the tape of `TAPE_DIR`; `fault`: why it cannot be used, with the remedy. */
async function tapeProviders(
  directory: string | null,
  log: Log,
): Promise<{ readonly providers: readonly Provider[]; readonly fault: string | null }> {
  if (directory === null) return { providers: [], fault: null };
  try {
    const provider = await loadTapeProvider(directory, (difference) =>
      log.info({ difference }, 'tape request differed'),
    );
    return { providers: [provider], fault: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { providers: [], fault: `TAPE_DIR: ${reason}; set it to the folder of a recorded call with its voice.wav` };
  }
}
