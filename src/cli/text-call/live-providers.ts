import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { AddressPolicy } from '../../../base/network/address-policy.ts';
import { localAddresses } from '../../../base/network/local-addresses.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { HttpToolRunner } from '../../calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../../calls/custom-functions/mapping-pool.ts';
import { callProviders } from '../../calls/providers/call-providers.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { GuardedHttp } from '../../outgoing-http/guarded-http.ts';
import { resolveSystemName } from '../../outgoing-http/system-addresses.ts';
import type { CallTime } from '../../text-call/call-time.ts';
import { modelInTime, toolsInTime } from '../../text-call/outside-work.ts';
import type { TextAgent } from './agent-file.ts';

/** A text call has no organization of a database. */
const ORGANIZATION = 'text call';

/** External ports of text calls: the language models and the guarded HTTP client of the service. */
export class LiveProviders {
  readonly #registry: Registry;
  readonly #http: GuardedHttp;
  readonly #mappings = new MappingPool();

  constructor(configuration: Configuration, registry: Registry) {
    this.#registry = registry;
    const allow = configuration.http.allowAddresses;
    this.#http = new GuardedHttp(
      new AddressPolicy({ allow, ownListeners: () => [], localAddresses }),
      resolveSystemName,
    );
  }

  model(agent: AgentConfiguration, time: CallTime): LanguageModel {
    return modelInTime(callProviders(this.#registry, agent).model, time);
  }

  tools({ secret }: TextAgent, time: CallTime): ToolRunner {
    const runner = new HttpToolRunner({
      http: this.#http,
      mappings: this.#mappings,
      organizationId: ORGANIZATION,
      resolveSecret: secret,
    });
    return toolsInTime(runner, time);
  }

  async close(): Promise<void> {
    this.#mappings.close();
    await this.#http.close();
    await this.#registry.close();
  }
}
