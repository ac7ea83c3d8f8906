import { AddressPolicy } from '../../../base/network/address-policy.ts';
import { localAddresses } from '../../../base/network/local-addresses.ts';
import { HttpToolRunner, type HttpToolRunnerOptions } from '../../calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../../calls/custom-functions/mapping-pool.ts';
import type { TraceContext } from '../../observability/opentelemetry/trace-context.ts';
import { GuardedHttp } from '../../outgoing-http/guarded-http.ts';
import { resolveSystemName } from '../../outgoing-http/system-addresses.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

export interface OutgoingHttp {
  readonly http: GuardedHttp;
  /** Runs the custom functions of one agent version, whose secret headers are given sealed. */
  readonly tools: (
    agent: { readonly sealedSecrets: ReadonlyMap<string, string> },
    organizationId: string,
    trace: TraceContext | null,
  ) => HttpToolRunner;
}

/** The guarded client for users' addresses, and the custom functions that use it. */
export async function startOutgoingHttp(
  { configuration, lifecycle, listeners }: PartContext,
  secrets: Pick<Secrets, 'open'>,
): Promise<OutgoingHttp> {
  const { allowAddresses: allow } = configuration.http;
  const policy = new AddressPolicy({ allow, ownListeners: () => listeners, localAddresses });
  const http = await lifecycle.start(
    'outgoing HTTP',
    () => new GuardedHttp(policy, resolveSystemName),
    (client) => client.close(),
  );
  const mappings: HttpToolRunnerOptions['mappings'] = await lifecycle.start(
    'response mappings',
    () => new MappingPool(),
    (pool) => pool.close(),
  );
  const tools: OutgoingHttp['tools'] = ({ sealedSecrets }, organizationId, trace) =>
    new HttpToolRunner({
      http,
      mappings,
      organizationId,
      trace,
      resolveSecret: (reference) => {
        const sealed = sealedSecrets.get(reference);
        if (sealed === undefined) throw new Error(`the agent has no ${reference}`);
        return secrets.open(sealed, 'secret_header');
      },
    });
  return { http, tools };
}
