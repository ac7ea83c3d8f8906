import { isDeepStrictEqual } from 'node:util';
import { settingOfLanguageModel } from '../../../adapters/registry/language-models.ts';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import type { AgentState } from '../../../engine/agent/state-schema.ts';
import { PLACEHOLDER } from '../../../engine/agent/templates.ts';
import type { Tool } from '../../../engine/agent/tool-schema.ts';
import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';
import type { KnownProviders } from '../../calls/providers/configured-registry.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import { type ErrorDetail, invalidField } from '../errors/api-error.ts';
import { invalid, validationError } from '../errors/validation.ts';
import type { AgentBody } from '../schemas/agent.ts';

/** Replaces the value of a secret header in responses. */
export const SECRET_MASK = '***';

const BUILT_IN_NAMES = new Set(BUILT_IN_VARIABLES.map(({ name }) => name));

export interface CheckedConfiguration {
  /** Complete with the defaults of the service. Secrets are in plain text. */
  readonly configuration: AgentConfiguration;
  readonly warnings: readonly { readonly field: string; readonly message: string }[];
}

type Rules = Pick<ApiDependencies, 'agentDefaults' | 'providers' | 'providerOfModel' | 'checkGraph'>;

/** Builds the configuration of a version from a request. @throws ApiError 422 that lists every fault */
export function checkedConfiguration(body: AgentBody, rules: Rules): CheckedConfiguration {
  const configuration = withProviders(completed(body, rules), rules);
  const details = [
    ...unknownProviders(configuration, rules.providers),
    ...missingProviders(configuration, rules.providers),
    ...maskedSecrets(configuration),
    ...transferHeaders(configuration),
  ];
  if (details.length > 0) throw invalid(details);
  const { faults, warnings } = rules.checkGraph(configuration);
  if (faults.length > 0) throw invalid(faults.map(({ path, message }) => ({ field: path, message })));
  return { configuration, warnings: warnings.map(({ path, message }) => ({ field: path, message })) };
}

/** Encrypts the secret headers, as the database stores them and the call runtime passes them to the tool runner. */
export function sealedConfiguration(configuration: AgentConfiguration, secrets: Secrets): AgentConfiguration {
  return withSecretHeaders(configuration, (value) => secrets.seal(value, 'secret_header'));
}

/** The inverse of `sealedConfiguration`. */
export function openedConfiguration(configuration: AgentConfiguration, secrets: Secrets): AgentConfiguration {
  return withSecretHeaders(configuration, (value) => secrets.open(value, 'secret_header'));
}

/** Replaces a mask in a request by the secret of `before` for the same state, tool and header. */
export function unmaskedStates(states: readonly AgentState[], before: AgentConfiguration): AgentState[] {
  const known = new Map<string, string>();
  const placeOf = (...names: string[]): string => JSON.stringify(names);
  for (const state of before.states) {
    for (const tool of state.tools) {
      for (const { name, secret, value } of headersOf(tool)) {
        if (secret) known.set(placeOf(state.name, tool.name, name), value);
      }
    }
  }
  return states.map((state) => ({
    ...state,
    tools: state.tools.map((tool) => {
      if (tool.type !== 'custom_function') return tool;
      const headers = tool.headers.map((header) => {
        const kept = known.get(placeOf(state.name, tool.name, header.name));
        return header.secret && header.value === SECRET_MASK && kept !== undefined
          ? { ...header, value: kept }
          : header;
      });
      return { ...tool, headers };
    }),
  }));
}

export function maskedConfiguration(configuration: AgentConfiguration): AgentConfiguration {
  return withSecretHeaders(configuration, () => SECRET_MASK);
}

function completed(body: AgentBody, { agentDefaults }: Rules): AgentConfiguration {
  const { transcriber, transcriber_configuration: newer } = body;
  if (transcriber !== undefined && newer !== undefined && !isDeepStrictEqual(transcriber, newer)) {
    throw invalidField('transcriber_configuration', 'differs from transcriber: send only one of them');
  }
  const given = Object.fromEntries(Object.entries(body).filter(([key]) => key in agentConfigurationSchema.shape));
  const result = agentConfigurationSchema.safeParse({
    ...given,
    voice: body.voice ?? agentDefaults.voice,
    llm: body.llm ?? agentDefaults.llm,
    transcriber: transcriber ?? newer ?? agentDefaults.transcriber,
    variables: body.variables.filter(({ name }) => !BUILT_IN_NAMES.has(name)),
  });
  if (!result.success) throw validationError(result.error.issues);
  return result.data;
}

/**
 * Adds missing model providers: derived from the name of the model, otherwise the provider of the agent (for its own model that of the
 * service). A provider that cannot be derived stays undefined and is reported by `missingProviders`.
 */
function withProviders(
  configuration: AgentConfiguration,
  { agentDefaults, providerOfModel }: Rules,
): AgentConfiguration {
  type Llm = AgentConfiguration['llm'];
  const complete = (llm: Llm, preferred: string | undefined): Llm => {
    const provider = llm.provider ?? providerOfModel(llm.model, preferred);
    return provider === null ? llm : { ...llm, provider };
  };
  const llm = complete(configuration.llm, agentDefaults.llm.provider);
  return {
    ...configuration,
    llm,
    states: configuration.states.map((state) =>
      state.llm === undefined ? state : { ...state, llm: complete(state.llm, llm.provider) },
    ),
    fallbacks: {
      ...configuration.fallbacks,
      llm: configuration.fallbacks.llm.map((one) => complete(one, llm.provider)),
    },
  };
}

function unknownProviders(configuration: AgentConfiguration, known: KnownProviders): ErrorDetail[] {
  const { llm, voice, transcriber, states, fallbacks } = configuration;
  const named: [path: string, kind: keyof KnownProviders, provider: string | undefined][] = [
    ['llm', 'llm', llm.provider],
    ['voice', 'voice', voice.provider],
    ['transcriber', 'transcriber', transcriber.provider],
    ...states.map((state, index) => [`states[${index}].llm`, 'llm', state.llm?.provider] as const),
    ...fallbacks.llm.map((one, index) => [`fallbacks.llm[${index}]`, 'llm', one.provider] as const),
    ...fallbacks.voice.map((one, index) => [`fallbacks.voice[${index}]`, 'voice', one.provider] as const),
    ...fallbacks.transcriber.map(
      (one, index) => [`fallbacks.transcriber[${index}]`, 'transcriber', one.provider] as const,
    ),
  ].map(([path = '', kind, provider]) => [path, kind as keyof KnownProviders, provider]);
  return named.flatMap(([path, kind, provider]) => {
    if (provider === undefined || known[kind].includes(provider)) return [];
    const setting = kind === 'llm' ? settingOfLanguageModel(provider) : null;
    const why = setting === null ? 'unknown provider' : `not configured: set ${setting} in the environment`;
    return [{ field: `${path}.provider`, message: `${why}. Known providers: ${known[kind].join(', ')}` }];
  });
}

/** Headers of a transfer pass the filter of `custom_headers`. Values of variables are checked when they are filled in. */
function transferHeaders({ states }: AgentConfiguration): ErrorDetail[] {
  return states.flatMap((state, stateIndex) =>
    state.tools.flatMap((tool, toolIndex) => {
      if (tool.type !== 'transfer_call') return [];
      const filled = Object.entries(tool.headers).map(([name, value]) => [name, value.replace(PLACEHOLDER, '0')]);
      const check = checkCustomHeaders(Object.fromEntries(filled));
      const path = `states[${stateIndex}].tools[${toolIndex}].headers`;
      if (check.ok) return [];
      return check.faults.map(({ field, message }) => ({ field: field === null ? path : `${path}.${field}`, message }));
    }),
  );
}

/** Models without a provider whose name identifies none. */
function missingProviders({ fallbacks, llm, states }: AgentConfiguration, known: KnownProviders): ErrorDetail[] {
  const models = [
    { field: 'llm', llm },
    ...states.map((state, index) => ({ field: `states[${index}].llm`, llm: state.llm })),
    ...fallbacks.llm.map((one, index) => ({ field: `fallbacks.llm[${index}]`, llm: one })),
  ];
  const message = `required, because the model name identifies no provider. Known providers: ${known.llm.join(', ')}`;
  return models.flatMap(({ field, llm: one }) =>
    one === undefined || one.provider !== undefined ? [] : [{ field: `${field}.provider`, message }],
  );
}

/** A mask without a stored secret would overwrite the secret with `***`. */
function maskedSecrets({ states }: AgentConfiguration): ErrorDetail[] {
  return states.flatMap((state, stateIndex) =>
    state.tools.flatMap((tool, toolIndex) =>
      headersOf(tool).flatMap(({ secret, value }, index) => {
        const field = `states[${stateIndex}].tools[${toolIndex}].headers[${index}].value`;
        return secret && value === SECRET_MASK ? [{ field, message: 'expected the secret value, not its mask' }] : [];
      }),
    ),
  );
}

function headersOf(tool: Tool) {
  return tool.type === 'custom_function' ? tool.headers : [];
}

function withSecretHeaders(configuration: AgentConfiguration, replace: (value: string) => string): AgentConfiguration {
  return {
    ...configuration,
    states: configuration.states.map((state) => ({
      ...state,
      tools: state.tools.map((tool) => {
        if (tool.type !== 'custom_function') return tool;
        const headers = tool.headers.map((header) =>
          header.secret ? { ...header, value: replace(header.value) } : header,
        );
        return { ...tool, headers };
      }),
    })),
  };
}
