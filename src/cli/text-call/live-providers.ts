import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { AddressPolicy } from '../../../base/network/address-policy.ts';
import { localAddresses } from '../../../base/network/local-addresses.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { ToolResult, ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { HttpToolRunner } from '../../calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../../calls/custom-functions/mapping-pool.ts';
import { callProviders } from '../../calls/providers/call-providers.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { GuardedHttp } from '../../outgoing-http/guarded-http.ts';
import { resolveSystemName } from '../../outgoing-http/system-addresses.ts';
import type { TextAgent } from './agent-file.ts';
import type { CallTime } from './call-time.ts';

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
    return {
      run(toolRun, done, toolCallId) {
        const end = time.beginWork();
        const finish = (result: ToolResult) => {
          end();
          done(result);
        };
        runner.run(toolRun, finish, toolCallId);
      },
    };
  }

  async close(): Promise<void> {
    this.#mappings.close();
    await this.#http.close();
    await this.#registry.close();
  }
}

/** The missing setting of the language models of an agent, as a message. null: none. */
export function missingModel(registry: Registry, { llm, states }: AgentConfiguration): string | null {
  for (const { provider } of [llm, ...states.flatMap((state) => state.llm ?? [])]) {
    const found = registry.languageModel(provider);
    if (found.status === 'not_configured')
      return `the language model ${provider ?? ''} needs ${found.setting} in the environment`;
    if (found.status === 'unknown')
      return `the language model ${provider ?? ''} is not one of ${found.known.join(', ')}`;
  }
  return null;
}

/** The clock runs while a response of the model is pending. */
function modelInTime(model: LanguageModel, time: CallTime): LanguageModel {
  return {
    generate(request, emit) {
      const end = time.beginWork();
      const generation = model.generate(request, (event) => {
        if (event.type === 'done' || event.type === 'failed') end();
        emit(event);
        time.wake();
      });
      return {
        cancel() {
          end();
          generation.cancel();
        },
      };
    },
  };
}
