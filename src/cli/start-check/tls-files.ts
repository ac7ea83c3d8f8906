import { readFile } from 'node:fs/promises';
import type { Configuration } from '../../configuration/configuration.ts';
import { type Finding, fault, messageOf } from '../../doctor/finding.ts';

/** The TLS files that cannot be read. */
export async function tlsFileFaults({ sip }: Configuration): Promise<readonly Finding[]> {
  if (sip.server !== null) return [];
  const { authorityPath, certificate } = sip.tls;
  const files = [
    { variable: 'SIP_TLS_CERT', path: certificate?.certificatePath },
    { variable: 'SIP_TLS_KEY', path: certificate?.keyPath },
    { variable: 'SIP_TLS_CA', path: authorityPath },
  ];
  const findings = await Promise.all(
    files.map(async ({ path, variable }) => {
      if (path === undefined || path === null) return null;
      return readFile(path).then(
        () => null,
        (error: unknown) => fault(variable, `${path} cannot be read: ${messageOf(error)}`, 'set it to a PEM file'),
      );
    }),
  );
  return findings.filter((finding) => finding !== null);
}
