import { isDeepStrictEqual } from 'node:util';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import type { GraphNote } from '../../../engine/agent/graph-note.ts';
import { reservedNameFaults } from '../../../engine/agent/reserved-names.ts';
import { PLACEHOLDER } from '../../../engine/agent/templates.ts';
import type { Tool } from '../../../engine/agent/tool-schema.ts';
import { variableFaults } from '../../../engine/agent/variable-check.ts';
import { BUILT_IN_VARIABLES } from '../../../engine/agent/variable-schema.ts';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import type { ApiDependencies } from '../context/route-context.ts';
import { type ErrorDetail, invalidField } from '../errors/api-error.ts';
import { invalid, validationError } from '../errors/validation.ts';
import type { AgentBody } from '../schemas/agent.ts';
import { completedVoice } from './agent-voice.ts';
import type { AgentWarning } from './agent-warning.ts';
import { languageFaults } from './language-faults.ts';
import { checkProviders } from './provider-faults.ts';
import { providerNameFaults } from './provider-name-faults.ts';
import { turnDetectionFaults } from './turn-detection-faults.ts';
import { unsentHeaderWarnings } from './unsent-header-warnings.ts';

/** Replaces the value of a secret header in responses. */
export const SECRET_MASK = '***';

const BUILT_IN_NAMES = new Set(BUILT_IN_VARIABLES.map(({ name }) => name));

export interface CheckedConfiguration {
  /** Complete with the defaults of the service. Secrets are in plain text. */
  readonly configuration: AgentConfiguration;
  readonly warnings: AgentWarning[];
}

export type ConfigurationRules = Pick<
  ApiDependencies,
  'agentDefaults' | 'providers' | 'missingSetting' | 'detectsTurns' | 'providerOfModel' | 'checkGraph'
>;

/**
 * Builds the configuration of a version from a request.
 *
 * @param before the version that the request changes; null for a new agent
 * @throws ApiError 422 with the faults of the first check that finds any: variables, voice, schema, providers and headers, graph
 */
export function checkedConfiguration(
  body: AgentBody,
  before: AgentConfiguration | null,
  rules: ConfigurationRules,
): CheckedConfiguration {
  const configuration = withProviders(completed(body, rules), rules);
  const transcriberField = body.transcriber === undefined ? 'transcriber_configuration' : 'transcriber';
  const providers = checkProviders(configuration, before, transcriberField, rules);
  const details = [
    ...languageFaults(configuration, before),
    ...providers.faults,
    ...providerNameFaults(configuration, transcriberField),
    ...turnDetectionFaults(configuration, transcriberField, rules),
    ...maskedSecrets(configuration),
    ...transferHeaders(configuration),
  ];
  if (details.length > 0) throw invalid(details);
  const graph = rules.checkGraph(configuration);
  if (graph.faults.length > 0) throw invalid(detailsOf(graph.faults));
  return {
    configuration,
    warnings: [...providers.warnings, ...unsentHeaderWarnings(configuration), ...detailsOf(graph.warnings)],
  };
}

function detailsOf(notes: readonly GraphNote[]) {
  return notes.map(({ path, message }) => ({ field: path, message }));
}

/** Encrypts the secret headers, as the database stores them and calls pass them to the tool runner. */
export function sealedConfiguration(configuration: AgentConfiguration, secrets: Secrets): AgentConfiguration {
  return withSecretHeaders(configuration, (value) => secrets.seal(value, 'secret_header'));
}

/** The inverse of `sealedConfiguration`. */
export function openedConfiguration(configuration: AgentConfiguration, secrets: Secrets): AgentConfiguration {
  return withSecretHeaders(configuration, (value) => secrets.open(value, 'secret_header'));
}

export function maskedConfiguration(configuration: AgentConfiguration): AgentConfiguration {
  return withSecretHeaders(configuration, () => SECRET_MASK);
}

function completed(body: AgentBody, { agentDefaults }: ConfigurationRules): AgentConfiguration {
  const { transcriber, transcriber_configuration: newer } = body;
  if (transcriber !== undefined && newer !== undefined && !isDeepStrictEqual(transcriber, newer)) {
    throw invalidField('transcriber_configuration', 'differs from transcriber: send only one of them');
  }
  // Before the built-in variables are removed: the paths are those of the request.
  const variables = [...variableFaults(body), ...reservedNameFaults(body)];
  if (variables.length > 0) throw invalid(detailsOf(variables));
  const given = Object.fromEntries(Object.entries(body).filter(([key]) => key in agentConfigurationSchema.shape));
  const completed = {
    ...given,
    voice: body.voice === undefined ? agentDefaults.voice : completedVoice(body.voice, agentDefaults.voice),
    llm: body.llm ?? agentDefaults.llm,
    transcriber: transcriber ?? newer ?? agentDefaults.transcriber,
    variables: body.variables.filter(({ name }) => !BUILT_IN_NAMES.has(name)),
  };
  const result = agentConfigurationSchema.safeParse(completed, PLAIN_MESSAGES);
  if (!result.success) throw validationError(result.error.issues);
  return result.data;
}

/**
 * Adds missing model providers: derived from the name of the model, otherwise the provider of the agent (for its own model that of the
 * service). A provider that cannot be derived stays undefined and is reported by `missingProviders`.
 */
function withProviders(
  configuration: AgentConfiguration,
  { agentDefaults, providerOfModel }: ConfigurationRules,
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
      llm: configuration.fallbacks.llm.map((fallback) => complete(fallback, llm.provider)),
    },
  };
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
