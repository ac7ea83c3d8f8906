import type { Environment } from './configuration.ts';

/** Settings of the embedded SIP server. */
const EMBEDDED_SERVER_VARIABLES = [
  'SIP_PORT',
  'SIP_LOCAL_NETWORKS',
  'SIP_TLS_CERT',
  'SIP_TLS_KEY',
  'SIP_TLS_PORT',
  'SIP_TLS_CA',
  'SIP_TLS_VERIFY',
];

/** The variables that are set but have no effect, because `SIP_SERVER` replaces the embedded SIP server. */
export function ineffectiveVariables(environment: Environment): string[] {
  const isSet = (variable: string) => (environment[variable] ?? '') !== '';
  return isSet('SIP_SERVER') ? EMBEDDED_SERVER_VARIABLES.filter(isSet) : [];
}
