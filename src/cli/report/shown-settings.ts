/** Settings whose values identify no person or installation. Of every other one a report says only that it is set. */
const SHOWN: ReadonlySet<string> = new Set([
  'AUDIT_LOG_DAYS',
  'RETENTION_DAYS',
  'DISK_LOW_WATER_MB',
  'DRAIN_SECONDS',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'HTTP_PORT',
  'RATE_LIMIT_PER_MINUTE',
  'RATE_LIMIT_PER_HOUR',
  'API_DOCS',
  'RECORDING_LINK_SECONDS',
  'SIP_PORT',
  'SIP_TLS_PORT',
  'SIP_TLS_VERIFY',
  'RING_TIMEOUT_SECONDS',
  'STAGED_CALL_NUMBER_CHECK',
  'ORGANIZATION_MAX_CALLS',
  'ORGANIZATION_MAX_CALLS_PER_SECOND',
  'RTP_PORTS',
]);
/** A value of another form is a mistake, and may be anything. */
const PLAIN = /^[a-z0-9-]{1,20}$/;

/** The settings of a service for a report. `names`: all variables that the service reads. */
export function shownSettings(environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const set = names.filter((name) => (environment[name] ?? '') !== '').toSorted();
  return Object.fromEntries(
    set.map((name) => {
      const value = environment[name] ?? '';
      return [name, SHOWN.has(name) && PLAIN.test(value) ? value : '(set)'];
    }),
  );
}
